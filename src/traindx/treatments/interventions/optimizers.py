"""Changes of optimizers: settings, gradients, parameters and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Refusal, intervention
from ._shared import NO_OPTIMIZER, fixed

MOMENTUM = 0.9
USUAL = {"maximize": False, "momentum": MOMENTUM, "betas": [0.9, 0.999], "eps": 1e-8}
SHRINK = 1e-3  # weight decay against overfitting shrinks the weights by this share at each step
ADAMW_DECAY = 0.01  # AdamW's default, as in the fix
TIGHTER = 0.25  # share of the fix's clipping threshold, if that is not enough


@intervention("add-momentum", "Give SGD momentum", "no-momentum", "optimizers:Settings")
def add_momentum(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Gives plain SGD momentum."""
    if not any(group.setting("momentum") == 0 for group in run.groups):
        return Refusal("no optimizer runs without momentum")
    return [Dose({"momentum": MOMENTUM}, f"momentum 0 -> {MOMENTUM}")]


@intervention(
    "usual-optimizer-settings", "Reset momentum, betas and eps to their usual values",
    ("optimizer-misconfigured", "loss-sign-flipped"), "optimizers:Settings",
)  # fmt: skip
def usual_optimizer_settings(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Resets an optimizer's unusual settings (momentum, betas, eps, maximize) to the usual values."""
    if cause == "loss-sign-flipped":
        if not any(group.settings.get("maximize") is True for group in run.groups):
            return Refusal("no optimizer maximises")
        return [Dose({"maximize": False}, "maximize=True -> False")]
    written = fixed(run, signs, cause)
    found = {name: written[name] for name in USUAL if name in written}
    if not found:  # the fix does not name a setting: reset all unusual ones
        settings = run.groups[0].settings if run.groups else {}
        found = {name: usual for name, usual in USUAL.items() if name in settings and _listed(settings[name]) != usual}
    if not found:
        return Refusal("the optimizer's settings are already the usual ones")
    text = ", ".join(f"{name} -> {value}" for name, value in found.items())
    return [Dose({name: _listed(value) for name, value in found.items()}, text)]


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@intervention(
    "weaken-weight-decay", "Lower the weight decay", ("weight-decay-too-strong", "over-regularized"),
    "optimizers:Settings",
)  # fmt: skip
def weaken_weight_decay(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Lowers the optimizer's weight decay, or turns it off."""
    old = max((group.setting("weight_decay") or 0.0 for group in run.groups), default=0.0)
    if not old:
        return Refusal("no optimizer has a weight decay: something in the loss shrinks the weights")
    new = fixed(run, signs, cause).get("weight_decay")
    values = [new, 0.0] if new is not None and 0 < new < old else [0.0]
    return [Dose({"weight_decay": value}, f"weight decay {num(old)} -> {num(value)}") for value in values]


@intervention(
    "add-weight-decay", "Add weight decay", "overfitting", "optimizers:Shrunk", judged_by="validation", decisive=0.5
)
def add_weight_decay(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Adds decoupled weight decay against overfitting."""
    if not run.optimizers:
        return NO_OPTIMIZER
    return [Dose({"share": SHRINK}, f"weights shrunk by {SHRINK:g} at each step, as decoupled weight decay does")]


@intervention(
    "decouple-weight-decay", "Apply weight decay as AdamW does", "adam-coupled-decay", "optimizers:Decoupled",
    judged_by="validation",
)  # fmt: skip
def decouple_weight_decay(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Removes weight decay from Adam's gradient and applies it to the weights, as AdamW does."""
    if not any((group.setting("weight_decay") or 0) > 0 for group in run.groups):
        return Refusal("no optimizer has a weight decay")
    return [Dose({"weight_decay": ADAMW_DECAY}, f"decoupled weight decay of {ADAMW_DECAY}")]


@intervention(
    "clear-gradients", "Clear the gradients after each step", "missing-zero-grad", "optimizers:Cleared", safety="safe"
)
def clear_gradients(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Clears the gradients of an optimizer's parameters after each of its steps."""
    return [Dose({}, "optimizer.zero_grad() after every optimizer.step()")] if run.optimizers else NO_OPTIMIZER


@intervention("clip-gradients", "Clip the gradient norm", "exploding-gradients", "optimizers:Clipped")
def clip_gradients(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Clips the gradient norm before each step, at a threshold chosen from this run's ordinary norms."""
    limit = fixed(run, signs, cause).get("max_norm")
    if not run.optimizers or limit is None:
        return NO_OPTIMIZER
    return [Dose({"max_norm": each}, f"gradient norm clipped at {num(each)}") for each in (limit, TIGHTER * limit)]


@intervention(
    "clip-unscaled", "Unscale the gradients before clipping them", "clip-before-unscale", "optimizers:Clipped",
    leaves=("clip-before-unscale",),  # the script still calls the two in the wrong order; only the patch changes that
)  # fmt: skip
def clip_unscaled(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Clips gradients after the scaler has unscaled them, with the script's own threshold."""
    if run.clipping.kind != "norm":
        return Refusal("the script does not clip by norm")
    return [Dose({}, "the same threshold, applied to unscaled gradients")]


@intervention("lift-clip", "Raise the clipping threshold", "clip-too-tight", "optimizers:ClipLifted")
def lift_clip(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Raises the threshold of the script's own gradient clipping, or turns clipping off."""
    clipping = run.clipping
    if not clipping:
        return Refusal("the script calls no clipping function")
    limit = fixed(run, signs, cause).get("max_norm")
    lifted = Dose({}, "clipping turned off")
    if limit is None or clipping.kind != "norm":
        return [lifted]
    return [Dose({"max_norm": limit}, f"gradient norm clipped at {num(limit)}"), lifted]


@intervention(
    "add-parameters", "Add the missing parameters to the optimizer", "params-not-in-optimizer",
    "optimizers:ParametersAdded",
)  # fmt: skip
def add_parameters(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Adds the parameters that have a gradient and that no optimizer holds to the optimizer."""
    if len(run.optimizers) != 1:
        return Refusal("there is not exactly one optimizer")
    if not run.optimizers[0].steps:
        return Refusal("the optimizer is never stepped")
    return [Dose({}, "parameters outside the optimizer added to it")]


@intervention(
    "step-optimizer", "Step the optimizer after each backward pass", "params-not-in-optimizer", "optimizers:Stepped"
)
def step_optimizer(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Steps the optimizer after each backward, for a script that never does."""
    if not run.optimizers:
        return Refusal("no optimizer was made")
    if any(made.steps for made in run.optimizers):
        return Refusal("the optimizer is stepped")
    return [Dose({}, "optimizer.step() and zero_grad() after every backward")]


@intervention("unfreeze", "Unfreeze the layers that were never trained", "frozen-layers", "optimizers:ParametersAdded")
def unfreeze(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Unfreezes layers that were frozen without being trained, and adds them to the optimizer. Weights from a
    checkpoint are frozen on purpose and stay frozen."""
    frozen = [part.name for part in run.parameters if part.trains is False and not part.loaded]
    if not frozen:
        return Refusal("every frozen layer was loaded from a checkpoint")
    shown = f"{len(frozen)} tensors" if len(frozen) > 3 else ", ".join(frozen)
    return [Dose({"unfreeze": frozen}, f"requires_grad=True for {shown}")]
