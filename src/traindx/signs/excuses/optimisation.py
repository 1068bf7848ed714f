"""Ways to train in which an odd mode, step or batch is as it should be."""

from __future__ import annotations

from ...record import Run
from ...wording import num, percent
from .. import questions
from .._base import ramp
from .._optimizers import adaptive, needs_whole_set
from .._params import share_of
from .._tables import typical
from ._base import Holds, excuse

USUAL_EPS = 1e-7
NO_OPTIMIZER = "no optimizer was seen"


@excuse("mostly-frozen", questions.MODES, {"train-in-eval-mode": 0.3})
def mostly_frozen(run: Run) -> Holds | str:
    """Most weights are frozen: keeping a pretrained model in eval mode is right then."""
    known = [p for p in run.parameters if p.matrix]
    if not known:
        return "no weight was looked at"
    share = share_of([p for p in known if p.trains is False], known)
    words = f"{percent(share)} of the weights are frozen"
    return Holds(share > 0.5, f"{words}, and pretrained layers may stay in eval mode", words)


@excuse("starts-from-checkpoint", questions.STEPS, {"weights-hardly-move": 0.0})
def from_checkpoint(run: Run) -> Holds | str:
    """Most weights were loaded: they have less far to go."""
    total = sum(p.elements for p in run.parameters)
    if not total:
        return "no weight was looked at"
    share = sum(p.elements for p in run.parameters if p.loaded) / total
    words = f"{percent(share)} of the weights come from a checkpoint"
    return Holds(share > 0.5, f"{words} and need not go far", words)


@excuse("gradient-scale-cancelled", questions.STEPS, {"clip-far-below-norm": 0.0})
def scale_cancelled(run: Run) -> Holds | str:
    """An adaptive optimizer cancels a constant factor on the gradient, unless that makes it small against eps."""
    if not run.optimizers:
        return NO_OPTIMIZER
    level = 1.0 - max(0.4, ramp(typical(run, "eps_ratio") or 0.0, 0.01, 0.3, log=True)) if adaptive(run) else 0.0
    return Holds(
        level,
        "the optimizer is adaptive, which cancels a constant factor on the gradient",
        "the optimizer does not cancel the scale of the gradient",
    )


@excuse("eps-usual", questions.STEPS, {"eps-dominates": 0.4})
def eps_usual(run: Run) -> Holds | str:
    """eps at its usual 1e-8: that it dominates speaks of tiny gradients (sparse embeddings, a solved task)."""
    if not run.groups:
        return NO_OPTIMIZER
    known = [eps for group in run.groups if (eps := group.setting("eps")) is not None]
    if not known:
        return "the optimizer has no eps"
    eps = max(known)
    words = f"eps is {num(eps)}"
    return Holds(eps <= USUAL_EPS, f"{words}, which is usual: the gradients are tiny", words)


@excuse("needs-whole-set", questions.BATCH, {"batch-size-large": 0.0, "few-updates-per-epoch": 0.0})
def whole_set(run: Run) -> Holds | str:
    """An optimizer like L-BFGS, which needs the same samples at every step."""
    if not run.optimizers:
        return NO_OPTIMIZER
    return Holds(
        needs_whole_set(run),
        "the optimizer needs the same samples at every step",
        "the optimizer does not need the same samples at every step",
    )


SIGNS = (mostly_frozen, from_checkpoint, scale_cancelled, eps_usual, whole_set)
