"""Makes the hidden layers four times as wide: if this fits the training set better, the model was too small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal, Told
from ._levels import final

ID = "widen"
TITLE = "Make the hidden layers wider"
TESTS = ("model-too-small",)
COST = 2.0

FACTOR = 4
BETTER = 0.15  # if the loss is lower by more than this share, the model was too small
SAME = 0.05  # if it is lower by less than this share, it was not
FITTED = 0.3  # share of the first loss: a model that reaches a lower loss is not too small
FLAT = 0.05  # a run has settled if its loss falls by less than this share in the last quarter


def arms(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    layers = [module for model in run.models for module in model.modules if module.type == "Linear"]
    if len(layers) < 2:
        return Refusal("the model has no hidden linear layer to widen")
    return [Dose({"factor": FACTOR}, f"hidden layers {FACTOR} times as wide")]


class _Widened(Intervening):
    """The parameters stay the same objects with larger data, so the optimizer still holds them."""

    def __init__(self, factor: int) -> None:
        super().__init__()
        self._factor = factor

    def model_ready(self, root: Any) -> None:
        layers = [m for m in root.modules() if type(m).__name__ in ("Linear", "BatchNorm1d", "LayerNorm")]
        for one, other in pairwise(layers):
            # Layers with a norm between them are left alone: the norm would have to grow too.
            linear = type(one).__name__ == type(other).__name__ == "Linear"
            if linear and one.out_features == other.in_features:
                _resize(one, one.in_features, one.out_features * self._factor)
                _resize(other, other.in_features * self._factor, other.out_features)
                self.acted += 1
        if not self.acted:
            self.note = "no linear layer directly follows another one"


def _resize(layer: Any, inputs: int, outputs: int) -> None:
    import torch

    with torch.random.fork_rng(devices=[]):
        fresh = torch.nn.Linear(inputs, outputs, bias=layer.bias is not None, dtype=layer.weight.dtype)
    layer.in_features, layer.out_features = inputs, outputs
    layer.weight.data = fresh.weight.data.to(layer.weight.device)
    if layer.bias is not None:
        layer.bias.data = fresh.bias.data.to(layer.weight.device)


def begin(options: Mapping[str, Any]) -> Driver:
    return _Widened(int(options["factor"]))


def tells(control: Run, arms: Sequence[Run]) -> Told:
    if not arms[0].fact("probe").get("acted"):
        return Told("nothing", "no layer could be widened")
    own, wide = final(control), final(arms[0])
    if own is None or wide is None or own[0] <= 0:
        return Told("nothing", "no loss could be compared")
    levels = f"loss {own[0]:.3g} as it is, {wide[0]:.3g} with wider layers"
    # A wider model usually learns faster, so the comparison is meaningful only if the original one has settled.
    losses = control.series("loss/train").finite.values
    first, before = float(np.median(losses[:5])), float(np.mean(losses[len(losses) // 2 : -(len(losses) // 4) or None]))
    if own[0] < FITTED * first:
        return Told("against", f"the model fits the training data as it is: {levels}", 0.1)
    if before - own[0] > FLAT * before:
        return Told("nothing", f"the loss was still falling when the trial ended: {levels}")
    gain, noise = own[0] - wide[0], 2.0 * (own[1] ** 2 + wide[1] ** 2) ** 0.5
    if gain > max(BETTER * own[0], noise):
        return Told("for", f"a wider model fits better: {levels}", 10.0)
    if gain < SAME * own[0] + noise:
        return Told("against", f"a wider model fits no better: {levels}", 0.1)
    return Told("nothing", f"a wider model fits a little better: {levels}")
