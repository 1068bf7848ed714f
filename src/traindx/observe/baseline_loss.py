"""The loss of a prediction that is the same for every sample, computed by the loss function itself.

Whether a loss is good follows from that baseline. The function is called instead of a formula, because it may sum
instead of average, have thresholds (Huber) or weights of its own.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from ..record.program import OVER_CHANCES, OVER_CLASSES, OVER_VALUES

RESIDUAL = "residual_loss"  # some function of prediction minus target, known by the mean square of that
WEIGHTS = ("weight", "pos_weight")  # with these, the mean of the targets is no longer the best constant
SURE = 1e-4  # of a probability: nearer to 0 and 1 the loss of a rare other target would be all that counts
FEWEST = 8  # samples whose mean is worth anything


def loss_of_batch_mean(name: str, given: Any, target: Any, kwargs: dict[str, Any]) -> Any | None:
    """The loss of answering every sample of a batch with the batch's own mean: for classes, with their frequencies.

    Feature by feature, unlike `BaselineLoss`: a mean image explains much of what images vary in.
    """
    if any(kwargs.get(key) is not None for key in WEIGHTS) or not target.dim() or target.shape[0] < FEWEST:
        return None
    settings = {key: value for key, value in kwargs.items() if key not in ("input", "target")}
    if name == OVER_CLASSES[0] and not target.is_floating_point() and given.dim() == 2:
        counts = torch.zeros(given.shape[1], device=target.device)
        counts.scatter_add_(
            0, target.detach().clamp(0, given.shape[1] - 1), torch.ones_like(target, dtype=counts.dtype)
        )
        shares = (counts / counts.sum()).clamp_min(SURE).log()
        return F.cross_entropy(shares.expand(target.shape[0], -1), target.detach(), **settings)
    if name not in (*OVER_VALUES, *OVER_CHANCES) or not target.is_floating_point():
        return None
    target = target.detach().float()
    mean = target.mean(dim=0)
    # Targets that are all alike, as those of a discriminator, leave nothing to compare with. No value is asked for.
    unlike = torch.where((target == target[:1]).all(), torch.nan, 1.0)
    if name in OVER_CHANCES:
        mean = mean.clamp(SURE, 1 - SURE)
        mean = mean.logit() if name == OVER_CHANCES[1] else mean
    return getattr(F, name)(mean.expand_as(target), target, **settings) * unlike


class BaselineLoss:
    """Follows the targets of one call site, and the loss of always predicting their mean so far."""

    def __init__(self) -> None:
        self._mean: Any = None
        self._batches = 0

    def of_batch(self, name: str, target: Any, kwargs: dict[str, Any]) -> Any | None:
        """The loss of the mean of the batches before this one; of its own mean for the first."""
        name = "mse_loss" if name == RESIDUAL else name
        if name not in (*OVER_VALUES, *OVER_CHANCES) or any(kwargs.get(key) is not None for key in WEIGHTS):
            return None
        target = target.detach().float()
        own = target.mean()
        constant = own if self._mean is None else self._mean
        self._batches += 1
        self._mean = own if self._mean is None else self._mean + (own - self._mean) / self._batches
        if name in OVER_CHANCES:
            constant = constant.clamp(SURE, 1 - SURE)
            constant = constant.logit() if name == OVER_CHANCES[1] else constant
        settings = {key: value for key, value in kwargs.items() if key not in ("input", "target")}
        return getattr(F, name)(constant.expand_as(target), target, **settings)


def counted_terms(name: str, given: Any, target: Any) -> Any:
    """The number of targets that count, as a tensor on their device: class ids that are ignored do not."""
    if name not in OVER_CLASSES or target.is_floating_point():
        terms = target.shape[0] if name in OVER_CLASSES and target.dim() else target.numel()
        return torch.tensor(float(max(1, terms)), device=target.device)
    args, kwargs = given
    ignored = kwargs.get("ignore_index", args[4] if len(args) > 4 else -100)
    return torch.count_nonzero(target != ignored).clamp_min(1).float()
