"""The lowest possible loss on a batch, and the loss of the best constant prediction."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..observe.tensors import plain
from ..record.losses import OVER_CHANCES, OVER_CLASSES, OVER_VALUES


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
