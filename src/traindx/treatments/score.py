"""A score of the predictions that does not depend on the loss, computed from the arguments of the loss function.

For class targets it is the rank of the true class among the scores; for one score per sample, how often a positive
ranks above a negative; for values, the correlation with the target. Monotone (class scores) or affine (values)
transformations of the output do not change it, so runs with different losses can be compared. All classes count
equally.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ..observe.hook_points.hooks import Driver
from ..observe.tensors import plain
from ..observe.watchers.loss_inputs import given_pair

CLASS_LOSSES = ("cross_entropy", "nll_loss", "multi_margin_loss")
ROWS = 4096  # at most, of a large batch


class Targets(Driver):
    """Keeps the target that the script passes to a loss function. It comes before drivers that change the target."""

    def __init__(self) -> None:
        self.own: Any = None

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self.own = given_pair(name, (args, kwargs))[1]
        return args, kwargs


class Scores:
    """Writes `score/train` at every training loss, and `score/validation` after every evaluation.

    Predictions are scored against the script's own targets, so changing the targets cannot improve the score.
    """

    name = "loss-free score"

    def __init__(self, session: Any, targets: Targets) -> None:
        self.session = session
        self._targets = targets
        self._evaluated: list[Any] = []

    @torch.no_grad()
    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        first, target = given_pair(name, given)[0], self._targets.own
        self._targets.own = None
        if not plain(first) or not plain(target):
            return
        found = score(name, first, target, ignored=_ignored(given))
        if found is None:
            return
        if value.requires_grad and not self.session.evaluating:
            self.session.metrics.scalar("score/train", self.session.step, found)
        else:
            self._evaluated.append(found)

    def backward_begin(self, *_: Any) -> None:
        self._close_pass()

    def finish(self) -> None:
        self._close_pass()

    def _close_pass(self) -> None:
        if self._evaluated:
            mean = torch.stack(self._evaluated).mean()
            self._evaluated = []
            self.session.metrics.scalar("score/validation", self.session.step, mean)


def score(name: str, given: Any, target: Any, ignored: int | None = None) -> Any:
    """A 0-d tensor, 1 for perfect predictions; None if there is nothing to compare."""
    with contextlib.suppress(RuntimeError, IndexError):
        if not given.is_floating_point() or given.numel() == 0:
            return None
        given = given.detach().float()
        if not bool(torch.isfinite(given).all()):
            return None  # every comparison with NaN is false, so a rank would mean nothing
        if name in CLASS_LOSSES and not target.is_floating_point():
            return _of_classes(given, target, ignored)
        if target.numel() != given.numel():
            return None
        target = target.detach().float().reshape(given.shape)
        if name.startswith("binary_cross_entropy") or name == "soft_margin_loss":
            return _of_pairs(given.flatten(), target.flatten())
        return _of_values(given, target)
    return None


def _of_classes(scores: Any, labels: Any, ignored: int | None) -> Any:
    """The mean share of other classes that score lower than the true class, weighted so that classes count equally."""
    if scores.dim() == 1:
        scores, labels = scores[None], labels.reshape(1)
    scores = scores.movedim(1, -1).reshape(-1, scores.shape[1])[:ROWS]
    labels = labels.reshape(-1)[:ROWS]
    known = (labels >= 0) & (labels < scores.shape[1])
    if ignored is not None:
        known = known & (labels != ignored)
    scores, labels = scores[known], labels[known]
    if not len(labels) or scores.shape[1] < 2:
        return None
    own = scores.gather(1, labels[:, None])
    below = (scores < own).sum(1) + 0.5 * ((scores == own).sum(1) - 1)
    shares = below / (scores.shape[1] - 1)
    counts = torch.bincount(labels, minlength=scores.shape[1])
    weights = 1.0 / counts[labels]
    return (shares * weights).sum() / weights.sum()


def _of_pairs(scores: Any, targets: Any) -> Any:
    """How often a positive ranks above a negative (AUC); for soft targets, their correlation with the scores."""
    if not bool(((targets == 0) | (targets == 1)).all()):
        return _of_values(scores[:, None], targets[:, None])
    positive, negative = scores[targets == 1][:ROWS], scores[targets == 0][:ROWS]
    if not len(positive) or not len(negative):
        return None
    ordered = torch.sort(negative).values
    below = torch.searchsorted(ordered, positive.contiguous())
    not_above = torch.searchsorted(ordered, positive.contiguous(), right=True)
    return (below + not_above).float().mean() / (2 * len(negative))


def _of_values(given: Any, target: Any) -> Any:
    """The mean signed correlation of the columns with their targets; 0 for a constant prediction."""
    if given.dim() < 2 or given.shape[-1] == given.numel():
        given, target = given.reshape(-1, 1), target.reshape(-1, 1)
    given, target = given.reshape(given.shape[0], -1)[:ROWS], target.reshape(target.shape[0], -1)[:ROWS]
    if len(given) < 3:
        return None
    given, target = given - given.mean(0), target - target.mean(0)
    spread = target.pow(2).sum(0)
    varied = spread > 1e-12 * (1 + spread.max())
    if not bool(varied.any()):
        return None
    product = (given * target).sum(0)
    size = (given.pow(2).sum(0) * spread).sqrt()
    correlation = torch.where(size > 0, product / size.clamp_min(1e-30), torch.zeros_like(size))
    return correlation[varied].mean()


def _ignored(given: Any) -> int | None:
    found = given[1].get("ignore_index", given[0][4] if len(given[0]) > 4 else None)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
