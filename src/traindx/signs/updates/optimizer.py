"""The optimizer and its settings."""

from __future__ import annotations

from collections.abc import Iterator

from ...record import Run
from ...record.program import Group
from ...record.values import numbers
from ...wording import num, num4
from .. import checks, questions
from .._base import RAISED, Measured, Scale, Unless, place, ramp, sign
from .._tables import typical


@sign("plain-sgd", questions.STEPS, "setting")
def plain_sgd(run: Run) -> Measured | str:
    """SGD without momentum: a fact about the setting, 1 or 0. Healthy by itself, slow in ravines."""
    known = run.groups
    if not known:
        return "no optimizer was seen"
    plain = [group for group in known if group.optimizer == "SGD" and not group.setting("momentum")]
    level = 1.0 if len(plain) == len(known) else 0.0
    name = known[0].optimizer
    text = f"{name} runs without momentum{place(plain[0].site)}" if level else f"{name} uses momentum or adaptive steps"
    return Measured(level, text)


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


@sign("optimizer-setting-odd", questions.STEPS, "condition", from_start=True, check=checks.FIRST_STEPS)
def optimizer_setting_odd(run: Run) -> Measured | str:
    """Settings other than the learning rate that break an optimizer: momentum, betas, eps, maximize.

    Momentum and betas are read as memories of 1/(1 - beta) steps. A momentum memory of 10 to 20 steps is usual, 100 is
    risky, more cannot settle; a second moment needs more than 10 steps and more than the first one has; eps up to 1e-3
    has its users. `maximize` counts unless the loss itself is negated, which makes it right again.
    """
    known = run.groups
    if not known:
        return "no optimizer was seen"
    negated = any(graph.negated for graph in run.graphs)
    # A few numbers beside a model that minimises (multipliers, a temperature) may well be meant to climb.
    beside = len({group.index for group in known}) > 1
    found = [
        (level, what, group)
        for group in known
        for level, what in _odd(group, negated or (beside and (group.setting("elements") or SMALL) < SMALL))
    ]
    level, what, group = max(found, key=lambda item: item[0], default=(0.0, "", known[0]))
    odd = sorted({what for level, what, _ in found if level >= RAISED})
    return Measured(
        level,
        f"{group.optimizer}: {'; '.join(odd)}{place(group.site)}"
        if odd
        else f"{group.optimizer}: momentum, betas and eps are in the usual range",
        values={"odd": odd, "nearest": what},
    )


USUAL_EPS = 1e-7  # the largest that people leave as it is


@sign("eps-dominates", questions.STEPS, "condition", Scale(0.1, 10.0, log=True))
def eps_dominates(run: Run) -> Measured | str:
    """Adam's eps against the root of the second moment, in the first half of the looks.

    Above 1, eps and not the gradient sets the step. An eps of the usual size does that only where gradients are tiny
    (sparse embeddings, a solved task).
    """
    ratio = typical(run, "eps_ratio", 0.0, 0.5)
    if ratio is None:
        return "no adaptive optimizer's second moments were looked at"
    settings = [(group.setting("eps") or 0.0, group) for group in run.groups]
    eps, group = max(settings, key=lambda pair: pair[0], default=(0.0, None))
    return Measured(
        ratio,
        f"the optimizer's eps{f' ({num(eps)})' if eps else ''} is {num(ratio)} times the typical sqrt(second moment) "
        "(well below 1 is normal)" + (place(group.site) if group is not None else ""),
        values={"ratio": ratio, "eps": eps},
        unless=Unless(0.0 < eps <= USUAL_EPS, "that eps is usual: the gradients are tiny", most=0.4),
    )


COUPLED = ("Adam", "NAdam", "RAdam", "Adamax")


@sign("adam-with-decay", questions.STEPS, "condition", severity="info")
def adam_with_decay(run: Run) -> Measured | str:
    """Adam whose weight decay goes through the adaptive scaling: a fact about the setting, 1 or 0."""
    known = run.groups
    if not known:
        return "no optimizer was seen"
    coupled = [
        group
        for group in known
        if group.optimizer in COUPLED
        and (group.setting("weight_decay") or 0.0) > 0
        and group.settings.get("decoupled_weight_decay") is not True
    ]
    if not coupled:
        return Measured(0.0, f"{known[0].optimizer} does not pass weight decay through an adaptive step")
    group = coupled[0]
    decay = group.setting("weight_decay") or 0.0
    return Measured(
        decay,
        f"{group.optimizer} adds weight_decay={num(decay)} to the gradient and then rescales both (AdamW does not)"
        f"{place(group.site)}",
        1.0,
        values={"weight_decay": decay},
    )
