"""Weights in an optimizer whose module ran in training and whose gradient was always None, or always zero."""

from __future__ import annotations

from ...record import Run
from ...wording import listed, percent
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._optimizers import emptied_steps
from .._params import share_of

NONE, ZERO = "params-without-gradient", "params-zero-gradient"
# Fewer steps do not show "never": zero-initialised branches pass no gradient in the first.
FEWEST_STEPS = 3


def none(run: Run) -> Sign | Missing:
    """Weights that the optimizer holds and the forward pass uses, whose gradient is None at every step.

    The path from the loss to them is cut. Measured as a share of such weights, by tensors or elements.
    """
    return _starved(run, NONE, "none", "never got a gradient")


def zero(run: Run) -> Sign | Missing:
    """Weights that the optimizer holds and the forward pass uses, whose gradient is exactly zero at every step.

    Weight matrices only: biases before a norm and embeddings of unseen tokens have zero gradients in healthy runs.
    """
    return _starved(run, ZERO, "zero", "got a gradient of exactly zero at every step")


def _starved(run: Run, sign_id: str, grad: str, words: str) -> Sign | Missing:
    """The share of weights whose `grad` fact has this value.

    Weights that no optimizer holds are left out (target networks, teachers), and so are those whose module never ran.
    A hundredth is forgiven: heads that run and feed no loss, as the pooler of many encoders.
    """
    # A module under no_grad does not count as run in training, but it has its place in the order of execution.
    executed = {module.name for module in run.modules if module.order is not None}
    known = [
        p
        for p in run.parameters
        if p.matrix or (grad == "none" and p.kind == "embedding")  # an embedding that is used gets some gradient
        if p.trains and p.optimizer is not None and p.grad
        if p.ran or (p.grad == "none" and p.name.rpartition(".")[0] in executed)
    ]
    if emptied_steps(run) is not None:
        return Missing(sign_id, "gradients were cleared before the steps that should have used them")
    if run.steps < FEWEST_STEPS or not known:
        return Missing(sign_id, "too few steps, or no weight's gradient was followed")
    fed = {p.name for p in known if p.grad != grad}
    without = [p for p in known if p.grad == grad and not _fed(run, p.name) and not _one_step(p.name, fed)]
    share = share_of(without, known)
    level = ramp(share, 0.02, 0.2)
    names = [p.name for p in without]
    return Sign(
        sign_id,
        share,
        level,
        f"{len(names)} of {len(known)} weights used in training {words}: {listed(names)} "
        f"({percent(share)} of the elements)"
        if names
        else f"all {len(known)} weights used in training got a {'' if grad == 'none' else 'nonzero '}gradient",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"parameters": names[:20], "share": share},
    )


def _fed(run: Run, name: str) -> bool:
    """Whether some look found a gradient: a branch that begins at zero passes none at first."""
    table = run.layers("grad_norm")
    return name in table.layers and bool((table.column(name) > 0).any())


def _one_step(name: str, fed: set[str]) -> bool:
    """Whether it is the recurrent weight of a network that is given one time step: a state of zeros has no gradient."""
    return "weight_hh" in name and name.replace("weight_hh", "weight_ih") in fed


SIGNS = (
    SignUnit(
        NONE,
        none,
        questions.PARAMETERS,
        "fault",
        check=checks.GRADIENTS_ARRIVE,
        remedy="Look for detach(), no_grad(), .data or a part that the loss does not use.",
        rival=("update", 2.0),
    ),
    SignUnit(
        ZERO,
        zero,
        questions.PARAMETERS,
        "dynamics",
        check=checks.GRADIENTS_ARRIVE,
        remedy="Look for dead units, saturated outputs or a part that is multiplied by zero.",
    ),
)
