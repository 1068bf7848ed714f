"""Keras on torch. Its optimizers are none of torch's: their steps are announced here, as those of an optimizer that has
one group. Keras is never imported: this waits until the script does that."""

from __future__ import annotations

import sys
import weakref
from typing import Any

import torch

from .. import sites
from ..importing import after_import
from .hooks import HookPoints

# Settings that torch has too, by torch's name.
_SETTINGS = {"momentum": "momentum", "nesterov": "nesterov", "weight_decay": "weight_decay", "eps": "epsilon"}


class Group(dict[str, Any]):
    """The settings of a Keras optimizer under torch's names. A learning rate that is set here becomes Keras's."""

    def __init__(self, optimizer: Any) -> None:
        variables = getattr(optimizer, "_trainable_variables", None) or []
        super().__init__(params=[p for v in variables if isinstance(p := getattr(v, "_value", None), torch.Tensor)])
        self._optimizer = optimizer
        for name, own in _SETTINGS.items():
            value = getattr(optimizer, own, None)
            if isinstance(value, (bool, int, float)):
                super().__setitem__(name, value)
        if hasattr(optimizer, "beta_1") and hasattr(optimizer, "beta_2"):
            super().__setitem__("betas", (optimizer.beta_1, optimizer.beta_2))
        with torch.no_grad():
            rate = optimizer.learning_rate
            super().__setitem__("lr", float(getattr(rate, "_value", rate)))

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        if name == "lr":
            try:
                self._optimizer.learning_rate = float(value)
            except TypeError:  # over a schedule, which Keras refuses
                self._optimizer._learning_rate = float(value)


class AsTorch:
    """What watchers and drivers ask of an optimizer, answered for one of Keras. Named like it: see `_as_torch`."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = weakref.ref(optimizer)

    @property
    def param_groups(self) -> list[Group]:
        optimizer = self._optimizer()
        return [Group(optimizer)] if optimizer is not None else []

    @property
    def state(self) -> dict[Any, Any]:
        return {}


def install(hooks: HookPoints) -> None:
    known: weakref.WeakKeyDictionary[Any, AsTorch] = weakref.WeakKeyDictionary()

    def as_torch(optimizer: Any) -> AsTorch:
        if optimizer not in known:
            known[optimizer] = type(type(optimizer).__name__, (AsTorch,), {})(optimizer)
        return known[optimizer]

    def make_init(original: Any) -> Any:
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            if hooks.live:
                made_at[self] = sites.where_made(self, 2)

        return __init__

    made_at: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def make_apply(original: Any) -> Any:
        def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
            if not hooks.live or hooks.busy or not any(isinstance(gradient, torch.Tensor) for gradient in grads):
                return original(self, grads, trainable_variables)
            if not self.built and trainable_variables is not None:
                self.build(trainable_variables)  # as it is about to do itself
            optimizer = as_torch(self)
            if self in made_at:  # its parameters are known only now
                if hooks.driver is not None:
                    hooks.driver.optimizer_made(optimizer)
                hooks.announce("optimizer_made", optimizer, made_at.pop(self))
            hooks.before_step(optimizer, (optimizer,), {})
            result = original(self, grads, trainable_variables)
            hooks.after_step(optimizer, (optimizer,), {})
            return result

        return apply

    def make_layer_call(original: Any) -> Any:
        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
            # A layer that is given a symbol is built into a model: nothing runs.
            if hooks.inside or not hooks.live or not any(map(_symbolic, args)):
                return original(self, *args, **kwargs)
            hooks.inside = True
            try:
                return original(self, *args, **kwargs)
            finally:
                hooks.inside = False

        return __call__

    def hook() -> None:
        optimizer = sys.modules["keras.src.optimizers.base_optimizer"].BaseOptimizer
        hooks.patch(optimizer, "__init__", make_init)
        hooks.patch(optimizer, "apply", make_apply)

    def hook_layers() -> None:
        hooks.patch(sys.modules["keras.src.layers.layer"].Layer, "__call__", make_layer_call)

    hooks.on_remove(after_import("keras.src.optimizers.base_optimizer", hook))
    hooks.on_remove(after_import("keras.src.layers.layer", hook_layers))


def _symbolic(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return any(map(_symbolic, given))
    return type(given).__name__ == "KerasTensor"
