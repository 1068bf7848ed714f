"""Ways to train in which an odd mode, step or batch is as it should be."""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, SignUnit, ramp
from .._optimizers import adaptive, needs_whole_set
from .._params import share_of
from .._tables import typical
from ._base import excuse

USUAL_EPS = 1e-7
NO_OPTIMIZER = "no optimizer was seen"


def mostly_frozen(run: Run) -> Sign | Missing:
    """Most weights are frozen: keeping a pretrained model in eval mode is right then."""
    known = [p for p in run.parameters if p.matrix]
    if not known:
        return Missing("mostly-frozen", "no weight was looked at")
    share = share_of([p for p in known if p.trains is False], known)
    words = f"{percent(share)} of the weights are frozen"
    return excuse("mostly-frozen", share > 0.5, f"{words}, and pretrained layers may stay in eval mode", words)


def from_checkpoint(run: Run) -> Sign | Missing:
    """Most weights were loaded: they have less far to go."""
    total = sum(p.elements for p in run.parameters)
    if not total:
        return Missing("starts-from-checkpoint", "no weight was looked at")
    share = sum(p.elements for p in run.parameters if p.loaded) / total
    words = f"{percent(share)} of the weights come from a checkpoint"
    return excuse("starts-from-checkpoint", share > 0.5, f"{words} and need not go far", words)


def scale_cancelled(run: Run) -> Sign | Missing:
    """An adaptive optimizer cancels a constant factor on the gradient, unless that makes it small against eps."""
    if not run.optimizers:
        return Missing("gradient-scale-cancelled", NO_OPTIMIZER)
    level = 1.0 - max(0.4, ramp(typical(run, "eps_ratio") or 0.0, 0.01, 0.3, log=True)) if adaptive(run) else 0.0
    return excuse(
        "gradient-scale-cancelled",
        level,
        "the optimizer is adaptive, which cancels a constant factor on the gradient",
        "the optimizer does not cancel the scale of the gradient",
    )


def eps_usual(run: Run) -> Sign | Missing:
    """eps at its usual 1e-8: that it dominates speaks of tiny gradients (sparse embeddings, a solved task)."""
    if not run.groups:
        return Missing("eps-usual", NO_OPTIMIZER)
    eps = max(group.setting("eps") or 0.0 for group in run.groups)
    words = f"eps is {num(eps)}"
    return excuse("eps-usual", eps <= USUAL_EPS, f"{words}, which is usual: the gradients are tiny", words)


def whole_set(run: Run) -> Sign | Missing:
    """An optimizer like L-BFGS, which needs the same samples at every step."""
    if not run.optimizers:
        return Missing("needs-whole-set", NO_OPTIMIZER)
    return excuse(
        "needs-whole-set",
        needs_whole_set(run),
        "the optimizer needs the same samples at every step",
        "the optimizer does not need the same samples at every step",
    )


SIGNS = (
    SignUnit("mostly-frozen", mostly_frozen, questions.MODES, "excuse", excuses={"train-in-eval-mode": 0.3}),
    SignUnit(
        "starts-from-checkpoint", from_checkpoint, questions.STEPS, "excuse", excuses={"weights-hardly-move": 0.0}
    ),
    SignUnit(
        "gradient-scale-cancelled", scale_cancelled, questions.STEPS, "excuse", excuses={"clip-far-below-norm": 0.0}
    ),
    SignUnit("eps-usual", eps_usual, questions.STEPS, "excuse", excuses={"eps-dominates": 0.4}),
    SignUnit(
        "needs-whole-set",
        whole_set,
        questions.BATCH,
        "excuse",
        excuses={"batch-size-large": 0.0, "few-updates-per-epoch": 0.0},
    ),
)
