"""Settings other than the learning rate that break an optimizer: momentum, betas, eps, maximize.

Momentum and betas are read as memories of 1/(1 - beta) steps. A momentum memory of 10 to 20 steps is usual, 100 is
risky, more cannot settle; a second moment needs more than 10 steps and more than the first one has; eps up to 1e-3
has its users. `maximize` counts unless the loss itself is negated, which makes it right again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...record import Run
from ...record.optimizers import Group
from ...record.values import numbers
from ...wording import num, num4
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "optimizer-setting-odd"
QUESTION = questions.STEPS
SHOWS = "condition"
CHECK = checks.FIRST_STEPS
SMALL = 64  # numbers: fewer are no layer


def _memory(beta: float) -> float:
    return 1.0 / max(1.0 - beta, 1e-9)


def _odd(group: Group, negated: bool) -> Iterator[tuple[float, str]]:
    """(level, what) for each setting."""
    betas = numbers(group.settings.get("betas"))
    momentum = group.setting("momentum")
    first = momentum if momentum is not None else betas[0] if betas else None
    if first is not None:
        name = "momentum" if momentum is not None else "beta1"
        shown = f"{first:g}"
        steps = f"averages over {_memory(first):.0f} steps (10 to 20 is typical)"
        never = "never lets an earlier gradient fade (0.9 to 0.95 is typical)"
        yield ramp(_memory(first), 20.0, 300.0, log=True), f"{name}={shown} {steps if first < 1 else never}"
        if first < 0:
            yield 1.0, f"{name}={num(first)} is negative"
    if len(betas) >= 2 and "lion" not in group.optimizer.lower():
        few = f"beta2={num4(betas[1])} averages over only {num(_memory(betas[1]))} steps (1000 is the default)"
        yield ramp(_memory(betas[1]), 10.0, 2.0, log=True), few
        if betas[0] * betas[0] > betas[1]:
            yield 0.8, f"beta1={num4(betas[0])} is too high for beta2={num4(betas[1])}"
    eps = group.setting("eps")
    if eps is not None:
        yield ramp(eps, 1e-3, 1e-1, log=True), f"eps={num(eps)} (1e-8 is the default)"
    if group.settings.get("maximize") is True:
        yield 0.0 if negated else 1.0, "maximize=True makes the loss rise"


def measure(run: Run) -> Sign | Missing:
    known = run.groups
    if not known:
        return Missing(ID, "no optimizer was seen")
    negated = any(graph.get("negated") is True for graph in run.graphs)
    # A few numbers beside a model that minimises (multipliers, a temperature) may well be meant to climb.
    beside = len({group.index for group in known}) > 1
    found = [
        (level, what, group)
        for group in known
        for level, what in _odd(group, negated or (beside and (group.setting("elements") or SMALL) < SMALL))
    ]
    level, what, group = max(found, key=lambda item: item[0], default=(0.0, "", known[0]))
    odd = sorted({what for level, what, _ in found if level >= 0.5})
    return Sign(
        ID,
        level,
        level,
        f"{group.optimizer}: {'; '.join(odd)}{place(group.site)}"
        if odd
        else f"{group.optimizer}: momentum, betas and eps are in the usual range",
        onset=0 if odd else None,
        severity=if_raised(level, "warning"),
        values={"odd": odd, "nearest": what},
    )
