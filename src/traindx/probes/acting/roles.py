"""Finds out which loaders feed the training, by what happens after their batches and not by their names."""

from __future__ import annotations

import weakref
from typing import Any

import torch


class Roles:
    """A loader is for training if a backward follows its batch, for evaluation if a forward without gradients does."""

    def __init__(self) -> None:
        self.training: weakref.WeakSet[Any] = weakref.WeakSet()
        self.evaluations = 0  # forwards without gradients since training began
        self._pending: list[weakref.ref[Any]] = []
        self._trained = False

    def delivered(self, loader: Any) -> None:
        if loader is not None:
            self._pending.append(weakref.ref(loader))

    def forward(self, root: Any) -> None:
        if torch.is_grad_enabled() or next(root.parameters(), None) is None:
            return
        self._pending.clear()
        self.evaluations += self._trained

    def backward(self) -> list[Any]:
        """The loaders whose batches this backward comes from."""
        found = [loader for ref in self._pending if (loader := ref()) is not None]
        self.training.update(found)
        self._pending.clear()
        self._trained = True
        return found
