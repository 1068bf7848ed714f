"""The loss of one batch in train mode and in eval mode: the difference is due to dropout and batch statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..unchanged import unchanged

DRAWS = 8


@dataclass(frozen=True)
class ModeGap:
    """`train` is the mean over several dropout masks, `train_spread` their standard deviation."""

    train: float
    train_spread: float
    eval: float

    @property
    def ratio(self) -> float:
        return self.train / self.eval if self.eval else float("inf")


def mode_gap(model: Any, loss: Callable[[], Any], draws: int = DRAWS) -> ModeGap:
    with unchanged(model), torch.no_grad():
        model.eval()
        evaluated = float(loss())
    trained = []
    for draw in range(draws):
        with unchanged(model), torch.no_grad():  # running statistics must not change between draws
            torch.manual_seed(draw)
            model.train()
            trained.append(float(loss()))
    return ModeGap(float(np.mean(trained)), float(np.std(trained)), evaluated)
