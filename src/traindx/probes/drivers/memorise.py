"""Feeds the user's loop the same batch at every step until the batch is overfitted."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from ...observe.metric_queue import cpu_value
from ...observe.tensors import plain
from ...observe.watchers.loss_inputs import given_pair
from ...record.program import OVER_CHANCES, OVER_CLASSES, OVER_VALUES
from ..acting.limits import Part
from ..acting.pinning import Pinned
from ..acting.rates import Override, times_peak

KNOWN = 0.02  # the batch is overfitted when this share of the way from trivial loss to floor remains


class _Memorise(Pinned):
    def __init__(self, steps: int, seconds: float, factor: float) -> None:
        super().__init__(steps, seconds)
        self._factor, self._rates = factor, Override(times_peak(factor))
        self._goal: float | None = None
        self._reached = 0
        self.floor: dict[str, Any] | None = None

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        args, kwargs = super().loss_inputs(name, args, kwargs)
        first, target = given_pair("", (args, kwargs))  # by position, as in `Pinned`
        if self.floor is None and isinstance(first, torch.Tensor) and first.requires_grad:
            self.floor = floor_of(name, first, target, kwargs)
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        super().before_backward(loss)
        value = cpu_value(loss) if isinstance(loss, torch.Tensor) and loss.numel() == 1 else None
        if value is None or not math.isfinite(value):
            return
        if self._goal is None and self.floor is not None:
            floor, trivial = self.floor["floor"], self.floor["trivial"]
            self._goal = floor + KNOWN * (min(trivial, value) - floor)
        if self._goal is not None:
            self._reached = self._reached + 1 if value <= self._goal else 0

    def before_step(self, optimizer: Any) -> None:
        self._rates.before_step(optimizer)

    def after_step(self, optimizer: Any) -> None:
        self._rates.after_step(optimizer)
        super().after_step(optimizer)

    def updated(self) -> None:
        if self._reached >= 3:  # once may be luck with a dropout mask
            self.stop("goal")
        super().updated()

    def findings(self) -> dict[str, Any]:
        return {**super().findings(), "floor": self.floor, "factor": self._factor}


def begin(options: dict[str, Any]) -> Part:
    driver = _Memorise(int(options["steps"]), float(options["seconds"]), float(options.get("factor", 1.0)))
    return Part(driver, [], driver.findings)


# ── the lowest possible loss on a batch, and that of the best constant prediction ─────────────────


@torch.no_grad()
def floor_of(name: str, given: Any, target: Any, settings: dict[str, Any]) -> dict[str, Any] | None:
    """`{"floor", "trivial", "why"}` for a call of a standard loss; None if they are unknown."""
    if not plain(target) or settings.get("reduction", "mean") != "mean":
        return None
    smoothing = float(settings.get("label_smoothing", 0.0))
    if settings.get("weight") is not None or settings.get("pos_weight") is not None:
        return None
    if name in OVER_CLASSES:
        return _classes(given, target, smoothing)
    if name in OVER_CHANCES:
        share = target.float().clamp(0, 1)
        floor = F.binary_cross_entropy(share, share)
        trivial = F.binary_cross_entropy(share.mean().expand_as(share), share)
        return _answer(floor, trivial, "the targets' own entropy")
    if name in OVER_VALUES and target.is_floating_point() and given.shape == target.shape:
        centre = target.mean(0, keepdim=True) if target.shape[0] > 1 else target.mean()
        if name == "l1_loss":
            centre = target.median(0, keepdim=True).values if target.shape[0] > 1 else target.median()
        trivial = getattr(F, name)(centre.expand_as(target), target)
        return _answer(torch.zeros(()), trivial, "the targets themselves")
    return None


def _classes(given: Any, target: Any, smoothing: float) -> dict[str, Any] | None:
    if given.dim() < 2 or target.is_floating_point():
        return None
    classes = given.shape[1]
    labels = target.reshape(-1)
    labels = labels[(labels >= 0) & (labels < classes)]
    if not labels.numel():
        return None
    shares = torch.bincount(labels, minlength=classes).double() / labels.numel()
    shares = (1 - smoothing) * shares + smoothing / classes
    trivial = -(shares * shares.clamp_min(1e-300).log()).sum()
    one = torch.full((classes,), smoothing / classes, dtype=torch.float64)
    one[0] += 1 - smoothing
    floor = -(one * one.clamp_min(1e-300).log()).sum()
    return _answer(floor, trivial, "label smoothing" if smoothing else "certain answers")


def _answer(floor: Any, trivial: Any, why: str) -> dict[str, Any]:
    return {"floor": float(floor), "trivial": float(trivial), "why": why}
