"""Puts models into train mode for training forwards, and into eval mode for forwards without gradients."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._functions import replace

ID = "set-modes"
TITLE = "Train in train mode and evaluate in eval mode"
TESTS = ("eval-mode-missing", "train-mode-missing")
SAFETY = "changes-result"
JUDGED_BY = "validation"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if cause == "train-mode-missing":
        return [Dose({"train": True}, "model.train() before training forwards")]
    return [Dose({"eval": True}, "model.eval() before forwards without gradients")]


class _Modes(Intervening):
    """Sets the mode for one forward. It is restored at the next event, not at once, because watchers read the mode
    after the forward."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__()
        self._train, self._eval = bool(options.get("train")), bool(options.get("eval"))
        self._evaluating: weakref.WeakSet[Any] = weakref.WeakSet()  # loaders that a forward without gradients used
        self._loader: Any = None
        self._before: list[tuple[Any, bool]] = []
        self._evaluates = False
        if self._eval:
            import torch

            self._dropout = replace(torch.nn.functional, "dropout", self._dropped)

    def _dropped(self, given: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        """A call without `training=self.training` would drop units in eval mode too."""
        if self._evaluates and training:
            self.acted += 1
            training = False
        return self._dropout(given, p, training, inplace)

    def batch(self, loader: Any, batch: Any) -> Any:
        self._put_back()
        self._loader = loader
        return batch

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._put_back()
        return args, kwargs

    def before_backward(self, loss: Any) -> None:
        self._put_back()

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        self._put_back()
        training = torch.is_grad_enabled()
        if not training and self._loader is not None:
            self._evaluating.add(self._loader)
        if self._loader is not None and self._loader in self._evaluating:
            training = False
        self._evaluates = not training
        modules = list(root.modules())
        if training and self._train and not all(module.training for module in modules):
            self._set(modules, True)
        elif not training and self._eval and any(module.training for module in modules):
            self._set(modules, False)
        return args, kwargs

    def _set(self, modules: list[Any], training: bool) -> None:
        self._before = [(module, module.training) for module in modules]
        for module in modules:
            module.training = training
        self.acted += 1

    def _put_back(self) -> None:
        for module, training in self._before:
            module.training = training
        self._before = []


def begin(options: Mapping[str, Any]) -> Driver:
    return _Modes(options)
