"""Settings, gradients, parameters and steps of optimizers."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .acting import Intervening, named


def _with_gradients(optimizer: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """The optimizer's parameters that have a gradient, each with its group."""
    return ((group, p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None)


class Settings(Intervening):
    """Changes these settings in every group that has them, as soon as the optimizer is created."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        # JSON has turned tuples into lists.
        self._settings = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}

    def optimizer_made(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            for name, value in self._settings.items():
                if name in group and group[name] != value:
                    group[name] = value
                    self.acted += 1
        if not self.acted:
            self.note = f"no optimizer has a setting {' or '.join(self._settings)} to change"


@dataclass(eq=False)
class Shrunk(Intervening):
    """Shrinks the weights at each step, as decoupled weight decay does; biases and norms do not decay."""

    share: float

    @torch.no_grad()
    def before_step(self, optimizer: Any) -> None:
        for _, parameter in _with_gradients(optimizer):
            if parameter.dim() > 1:
                parameter.mul_(1.0 - self.share)
                self.acted += 1


@dataclass(eq=False)
class Decoupled(Intervening):
    """Removes weight decay from Adam's gradient and applies it to the weights, as AdamW does."""

    weight_decay: float

    def optimizer_made(self, optimizer: Any) -> None:
        for group in optimizer.param_groups:
            if type(optimizer).__name__ == "Adam" and group.get("weight_decay"):
                group["weight_decay"] = 0.0
                group["traindx_decoupled"] = True  # torch ignores unknown settings

    @torch.no_grad()
    def before_step(self, optimizer: Any) -> None:
        held = [(g, p) for g, p in _with_gradients(optimizer) if g.get("traindx_decoupled")]
        for group, parameter in held:
            parameter.mul_(1.0 - float(group["lr"]) * self.weight_decay)
        self.acted += bool(held)


class Cleared(Intervening):
    """Clears the gradients of an optimizer's parameters after each of its steps."""

    def after_step(self, optimizer: Any) -> None:
        held = list(_with_gradients(optimizer))
        for _, parameter in held:
            parameter.grad = None
        self.acted += bool(held)


class Clipped(Intervening):
    """Clips gradients right before the step: at `max_norm`, or else at the script's own threshold, whose clipping call
    (before the scaler unscaled the gradients) then does nothing."""

    def __init__(self, max_norm: float | None = None) -> None:
        super().__init__()
        self._limit, self._own = max_norm, max_norm is None

    def clip_limit(self, kind: str, limit: Any) -> Any:
        if not self._own or kind != "norm":
            return limit
        self._limit = float(limit)
        self.acted += 1
        return math.inf

    def before_step(self, optimizer: Any) -> None:
        if self._limit is not None:
            clipped = _clip(optimizer, self._limit)
            self.acted += clipped and not self._own


@torch.no_grad()
def _clip(optimizer: Any, limit: float) -> bool:
    """Scale all gradients of the optimizer to a total norm of at most `limit`. True if that was necessary."""
    gradients = [p.grad for _, p in _with_gradients(optimizer) if not p.grad.is_sparse]
    if not gradients:
        return False
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g.float()) for g in gradients]))
    if not bool(total > limit):
        return False
    for gradient in gradients:
        gradient.mul_((limit / total).to(gradient.device))
    return True


@dataclass(eq=False)
class ClipLifted(Intervening):
    """Raises the threshold of the script's own clipping, or turns it off."""

    max_norm: float = math.inf

    def clip_limit(self, kind: str, limit: Any) -> Any:
        self.acted += float(limit) < self.max_norm
        return max(float(limit), self.max_norm)


class ParametersAdded(Intervening):
    """Before a step, adds the models' parameters that have a gradient but are not in the optimizer. They join its last
    group, because a new group would break schedulers, which count groups. `unfreeze`: names of frozen parameters that
    are trained from now on."""

    def __init__(self, unfreeze: Sequence[str] = ()) -> None:
        super().__init__()
        self._unfreeze = tuple(unfreeze)
        self._roots: weakref.WeakSet[Any] = weakref.WeakSet()
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()

    def optimizer_made(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)

    def model_ready(self, root: Any) -> None:
        self._roots.add(root)
        for name, parameter in root.named_parameters():
            if named(name, self._unfreeze) and not parameter.requires_grad and parameter.is_floating_point():
                parameter.requires_grad_(True)
                self.acted += 1

    def before_step(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)
        if len(self._optimizers) > 1:
            self.note = "there are several optimizers, and it is unknown which one a parameter belongs to"
            return
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for root in self._roots:
            for parameter in root.parameters():
                if parameter.grad is not None and id(parameter) not in held:
                    held.add(id(parameter))
                    optimizer.param_groups[-1]["params"].append(parameter)
                    self.acted += 1


class Stepped(Intervening):
    """Steps the optimizer after each backward, for a script that never does."""

    def __init__(self) -> None:
        super().__init__()
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._pending = False

    def optimizer_made(self, optimizer: Any) -> None:
        self._optimizers.add(optimizer)
        clear = optimizer.zero_grad

        def step_and_clear(*args: Any, **kwargs: Any) -> None:
            self._step()  # before the gradients are cleared
            clear(*args, **kwargs)

        optimizer.zero_grad = step_and_clear

    def before_backward(self, loss: Any) -> None:
        self._pending = True

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._step()  # for a script that never clears its gradients
        return args, kwargs

    def after_step(self, optimizer: Any) -> None:
        self._pending = False

    def _step(self) -> None:
        if not self._pending:
            return
        self._pending = False
        for optimizer in list(self._optimizers):
            optimizer.step()
            optimizer.zero_grad()
            self.acted += 1
