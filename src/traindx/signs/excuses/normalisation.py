"""Norm layers and skip connections that undo an odd scale or help the gradient."""

from __future__ import annotations

from ...record import Run
from ...record.values import op_counts
from ...wording import counted, num
from .. import questions
from .._base import ramp
from .._inputs import normalises_first
from ..activations.init_scale import hidden_gain
from ..activations.squashing_depth import squashing_layers
from ..updates.weight_norm_change import weight_change
from ._base import Holds, excuse

NO_MODULES = "the model's layers were not looked at"


@excuse("inputs-normalised", questions.DATA, {"input-scale-odd": 0.0, "input-scale-spread": 0.0})
def of_inputs(run: Run) -> Holds | str:
    """A norm layer before the first layer with weights: the scale of the inputs does not matter then."""
    if not run.modules:
        return NO_MODULES
    return Holds(
        normalises_first(run),
        "a norm layer comes before the first weights, so the scale of the inputs has no effect",
        "no norm layer comes before the first weights",
    )


@excuse("shrinking-normalised", questions.STEPS, {"weights-shrinking": 0.0}, end="deep")
def of_weights(run: Run) -> Holds | str:
    """Batch norm behind weights that shrink: it cancels their scale, until hardly anything of them is left.

    Weights at a tenth of their first norm do no harm there; at a fiftieth, steps and weights are out of proportion.
    """
    change = weight_change(run)
    if not run.modules or change is None:
        return f"{NO_MODULES}, or the weights' norm was not followed"
    norms, left = sum(module.batch_norm for module in run.modules), f"{num(change.ratio)} times their first norm"
    return Holds(
        ramp(change.ratio, 0.02, 0.1, log=True) if norms else 0.0,
        f"{counted(norms, 'batch norm layer')} {'cancels' if norms == 1 else 'cancel'} the scale of the weights, which "
        f"end at {left}",
        f"batch norm does not make up for weights at {left}",
    )


@excuse("init-normalised", questions.FLOW, {"init-scale-small": 0.0})
def of_initial_weights(run: Run) -> Holds | str:
    """Norm layers that restore the scale behind small initial weights (the 0.02 of many transformers).

    One for every two layers with weights is enough; a gain of 0.005 is too small even then.
    """
    gain, found = hidden_gain(run), run.modules
    if not found or gain is None:
        return f"{NO_MODULES}, or no freshly initialised weight was"
    norms, maps = sum(module.norm for module in found), sum(module.maps for module in found)
    scale = f"the scale behind {counted(maps, 'layer')} with weights"
    return Holds(
        ramp(gain, 0.005, 0.05, log=True) if 2 * norms >= max(1, maps) else 0.0,
        f"{counted(norms, 'norm layer')} {'restores' if norms == 1 else 'restore'} {scale}",
        f"{counted(norms, 'norm layer')} {'does' if norms == 1 else 'do'} not restore {scale}",
    )


@excuse("depth-bridged", questions.FLOW, {"squashing-depth": 0.0})
def of_depth(run: Run) -> Holds | str:
    """Norm layers or skip connections beside sigmoid and tanh layers: at least one for every two of them."""
    found = squashing_layers(run)
    if found is None:
        return NO_MODULES
    norms, skips = sum(module.norm for module in run.modules), op_counts(run.fact("graph")).get("add", 0.0)
    words = (
        f"{counted(norms, 'norm layer')} and {counted(skips, 'skip connection')} beside "
        f"{counted(sum(found), 'layer')} of sigmoid or tanh"
    )
    helped = max(norms, skips) >= sum(found) / 2 > 0
    return Holds(helped, f"{words} help the gradient", f"the model has {words}")


SIGNS = (of_inputs, of_weights, of_initial_weights, of_depth)
