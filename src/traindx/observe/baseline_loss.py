"""The loss of a prediction that is the same for every sample, computed by the loss function itself.

Whether a loss is good follows from that baseline. The function is called instead of a formula, because it may sum
instead of average, have thresholds (Huber) or weights of its own.
"""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F

from ..record.losses import OVER_CHANCES, OVER_VALUES

RESIDUAL = "residual_loss"  # some function of prediction minus target, known by the mean square of that
WEIGHTS = ("weight", "pos_weight")  # with these, the mean of the targets is no longer the best constant
SURE = 1e-4  # probabilities nearer to 0 or 1 are cut: else one rare other target would dominate the loss


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
