"""Shuffles the targets within each batch: if training does as well, the targets are unrelated to the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...observe.hook_points.hooks import Driver
from ...record import Run, Series
from ...signs import Signs
from .._base import Dose, Intervening, Refusal, Told

ID = "shuffle-labels"
TITLE = "Shuffle the targets within each batch"
TESTS = ("noisy-labels",)

FOUND = 0.05  # if the score gains less than this from the true targets, they are unrelated to the inputs
CLEAR = 0.15  # if it gains more than this, they are related
LEARNT = 0.05  # share of the first loss: a model whose loss falls by less has learnt nothing
EARLY = 0.3  # share of the steps that is scored: later, a large model has memorised any labels


def arms(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.series("score/train") and not run.series("score/validation"):
        return Refusal("predictions and targets do not reach a standard loss function")
    return [Dose({"seed": 0}, "targets shuffled within each batch")]


class _Shuffled(Intervening):
    """Shuffles the targets of a training loss, with its own random generator so that the script's is not advanced."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        import torch

        self._stream = torch.Generator().manual_seed(seed)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        from ...observe.watchers.loss_inputs import given_pair

        given, target = given_pair("", (args, kwargs))
        trains = isinstance(given, torch.Tensor) and given.requires_grad and torch.is_grad_enabled()
        if not trains or not isinstance(target, torch.Tensor) or target.dim() == 0 or len(target) < 2:
            return args, kwargs
        order = torch.randperm(len(target), generator=self._stream).to(target.device)
        self.acted += 1
        if len(args) > 1:
            return (args[0], target[order], *args[2:]), kwargs
        return args, {**kwargs, "target": target[order]}


def begin(options: Mapping[str, Any]) -> Driver:
    return _Shuffled(int(options["seed"]))


def tells(control: Run, arms: Sequence[Run]) -> Told:
    """Judge by the evaluation if there is one, else by the first steps, before the model memorises samples."""
    if not arms[0].fact("probe").get("acted"):
        return Told("nothing", "no target could be shuffled")
    if not _fell(control.series("loss/train")):
        return Told("nothing", "the loss does not fall even with the unshuffled targets")
    for name, where in (("score/validation", "on held-out data"), ("score/train", "in its first steps")):
        own, shuffled = _level(control.series(name), name), _level(arms[0].series(name), name)
        if own is None or shuffled is None:
            continue
        gain = own - shuffled
        levels = f"score {own:.2f} with the script's targets, {shuffled:.2f} with shuffled ones, {where}"
        if gain < FOUND:
            return Told("for", f"the targets are unrelated to the inputs: {levels}", 10.0)
        if gain > CLEAR:
            return Told("against", f"the targets are related to the inputs: {levels}", 0.1)
        return Told("nothing", f"the targets are only weakly related to the inputs: {levels}", 1.0)
    return Told("nothing", "no score could be measured")


def _fell(series: Series) -> bool:
    """Whether the training learnt anything. If not, it scores the same on any targets."""
    values = series.values[np.isfinite(series.values)] if series else np.empty(0)
    tenth = max(1, len(values) // 10)
    first, last = (float(np.median(part)) if len(part) else 0.0 for part in (values[:tenth], values[-tenth:]))
    return first - last > LEARNT * abs(first)


def _level(series: Series, name: str) -> float | None:
    values = series.values[np.isfinite(series.values)] if series else np.empty(0)
    if not len(values):
        return None
    if name == "score/validation":
        return float(np.median(values[-max(1, len(values) // 4) :]))
    return float(np.mean(values[: max(1, int(EARLY * len(values)))]))
