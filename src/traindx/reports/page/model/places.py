"""Where on the page a sign can be seen: the panel, and the step, layer and quantity in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....record import Run
from ....signs import Sign, all_signs

# By the sign's family; other families have no chart.
PANELS = {
    "curves": "loss",
    "outputs": "loss",
    "wiring": "loss",
    "updates": "layers",
    "activations": "layers",
    "gradients": "layers",
    "data": "data",
    "cost": "timing",
    "deep": "loss",
}
# By the sign's id, for signs whose panel is not that of their family.
BY_ID = {
    "gradients-spiking": "gradient",
    "gradients-zero": "gradient",
    "clip-far-below-norm": "gradient",
    "clip-share": "gradient",
    "gradient-norm-heavy-tail": "gradient",
    "gradient-norm-level": "gradient",
    "gradient-settled": "gradient",
    "gradients-agree": "gradient",
    "gradients-oppose": "gradient",
    "step-overshoots": "gradient",
    "lr-collapsed": "rate",
    "lr-constant": "rate",
    "lr-lowered": "rate",
    "lr-warmed-up": "rate",
    "rate-above-usual": "rate",
    "rate-below-usual": "rate",
    "batch-outlier": "loss",
    "params-zero-gradient": "layers",
    "params-without-gradient": "layers",
    "params-never-move": "layers",
    "fresh-layers-frozen": "layers",
}
QUANTITIES = {
    "dead-units": "act_dead",
    "sparse-activations": "act_dead",
    "saturated-units": "act_saturated",
    "preactivations-large": "act_saturated",
    "activation-variance-grows": "act_std",
    "activation-variance-shrinks": "act_std",
    "update-ratio-high": "update_ratio",
    "update-ratio-low": "update_ratio",
    "weights-growing": "weight_norm",
    "weights-shrinking": "weight_norm",
    "weights-hardly-move": "update_ratio",
    "params-zero-gradient": "grad_norm",
    "params-without-gradient": "grad_norm",
    "params-never-move": "update_ratio",
    "fresh-layers-frozen": "update_ratio",
}
SERIES = {"loss": ("loss/train", "loss/validation"), "gradient": ("grad_norm",), "rate": ("lr",)}


def by_text(signs: Iterable[Sign]) -> dict[str, Sign]:
    """The signs by their text. Evidence quotes that text, so the text leads back to the sign."""
    return {sign.text: sign for sign in signs}


def place(run: Run, sign: Sign | None) -> dict[str, Any] | None:
    """The place of a sign on the page; None if nothing on the page shows it."""
    unit = all_signs().get(sign.id) if sign else None
    if sign is None or unit is None:
        return None
    panel = BY_ID.get(sign.id) or PANELS.get(unit.family)
    if panel == "layers":
        return _in_layers(run, sign)
    if panel in SERIES and not any(run.series(name) for name in SERIES[panel]):
        return None
    # A fault that is present from the first step on has no particular place on the curve.
    if panel is None or (panel == "loss" and not sign.onset and unit.family in ("wiring", "outputs", "deep")):
        return None
    return {"panel": panel, "step": None if sign.onset is None else int(sign.onset)}


def _in_layers(run: Run, sign: Sign) -> dict[str, Any] | None:
    usual = "grad_norm" if all_signs()[sign.id].family == "gradients" else "weight_norm"
    quantity = QUANTITIES.get(sign.id, usual)
    if not run.layers(quantity):
        return None
    layer = sign.values.get("layer")
    return {
        "panel": "layers",
        "step": None if sign.onset is None else int(sign.onset),
        "layer": layer if isinstance(layer, str) else None,
        "quantity": quantity,
    }
