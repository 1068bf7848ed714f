"""What a loss function is given, and what backward differentiates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ...record.program import OVER_CLASSES, OVER_VALUES
from .._base import ELEMENTWISE, SIGNED_LOSSES
from .acting import Intervening, floating, loss_pair, trains, with_pair

TINY = 1e-12  # added to a probability, so that its logarithm is finite
ROUNDING = 1e-3  # by which probabilities may miss 0, 1 and their sum


@dataclass(eq=False)
class Multiplied(Intervening):
    """Differentiates a multiple of the loss: its negative, or its share of several micro-batches."""

    factor: float

    def differentiated(self, loss: Any) -> Any:
        self.acted += 1
        return self.factor * loss


@dataclass(eq=False)
class Fitted(Intervening):
    """Converts input and target of a loss to what it expects; `kind` is a key of `FITS`."""

    kind: str

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        changed = FITS[self.kind](name, given, target) if floating(given) else None
        if changed is None:
            return args, kwargs
        self.acted += 1
        return with_pair(args, kwargs, *changed)


def _one_hot(name: str, given: Any, target: Any) -> tuple[Any, Any] | None:
    if name not in OVER_VALUES or given.dim() < 2:
        return None
    ids = target.detach().long().reshape(-1)
    if ids.numel() * given.shape[-1] != given.numel() or int(ids.min()) < 0 or int(ids.max()) >= given.shape[-1]:
        return None
    return given, torch.nn.functional.one_hot(ids, given.shape[-1]).to(given.dtype).reshape(given.shape)


def _shape_of_output(name: str, given: Any, target: Any) -> tuple[Any, Any] | None:
    same = given.shape == getattr(target, "shape", given.shape)
    if name not in ELEMENTWISE or same or given.numel() != target.numel():
        return None
    return given, target.reshape(given.shape)


def _scores(name: str, given: Any, target: Any) -> tuple[Any, Any] | None:
    """Converts probabilities back to scores before a loss that applies softmax or sigmoid itself: the logarithm of a
    softmax output has the same softmax as the original scores."""
    values = given.detach()
    if values.numel() == 0 or values.min() < 0 or values.max() > 1 + ROUNDING:
        return None
    if name == "binary_cross_entropy_with_logits":
        return torch.log(given + TINY) - torch.log1p(TINY - given), target
    along = 1 if given.dim() > 1 else 0
    if name != "cross_entropy" or (values.sum(dim=along) - 1).abs().max() > ROUNDING:
        return None
    return torch.log(given + TINY), target


FITS: Mapping[str, Callable[[str, Any, Any], tuple[Any, Any] | None]] = {
    "log-softmax": lambda name, x, y: (torch.log_softmax(x, int(x.dim() > 1)), y) if name == "nll_loss" else None,
    "one-hot": _one_hot,
    "log-rate": lambda name, x, y: (torch.log(x.clamp_min(1e-8)), y) if name == "poisson_nll_loss" else None,
    "signed": lambda name, x, y: (x, 2 * y - 1) if name in SIGNED_LOSSES else None,
    "shape": _shape_of_output,
    "scores": _scores,
}


class OutputReshaped(Intervening):
    """Reshapes the output for a loss written by hand, whose target cannot be reached."""

    def forward_output(self, root: Any, output: Any) -> Any:
        # Only in training: the evaluation may have the right shapes, and reshaping would break it.
        single = torch.is_grad_enabled() and floating(output) and (output.dim() == 1 or output.shape[-1:] == (1,))
        if not single or not trains(root):
            return output
        self.acted += 1
        return output.unsqueeze(-1) if output.dim() == 1 else output.squeeze(-1)


@dataclass(eq=False)
class PaddingIgnored(Intervening):
    filler: int

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if name not in OVER_CLASSES or len(args) > 4 or kwargs.get("ignore_index", -100) != -100:
            return args, kwargs
        self.acted += 1
        return args, {**kwargs, "ignore_index": self.filler}


class ClassesWeighted(Intervening):
    def __init__(self, weights: Mapping[str, float] | None = None, pos_weight: float | None = None) -> None:
        super().__init__()
        self._positive = pos_weight
        self._weights = {int(key): float(value) for key, value in (weights or {}).items()}

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, _ = loss_pair(args, kwargs)
        if not floating(given):
            return args, kwargs
        if name == "binary_cross_entropy_with_logits" and self._positive is not None:
            if kwargs.get("pos_weight") is None:
                self.acted += 1
                kwargs = {**kwargs, "pos_weight": given.new_tensor(float(self._positive))}
        elif name in OVER_CLASSES and self._weights and len(args) < 3 and kwargs.get("weight") is None:
            classes = given.shape[1] if given.dim() > 1 else given.shape[0]
            self.acted += 1
            weights = given.new_tensor([self._weights.get(i, 1.0) for i in range(classes)])
            kwargs = {**kwargs, "weight": weights}
        return args, kwargs


@dataclass(eq=False)
class OutputScaled(Intervening):
    """Scales the model's output to the targets' range before the loss, so that the model works in standard units.

    This is equivalent to standardising the targets. But the loss keeps its units, so that the two runs can be compared,
    and it also works with losses written by hand. `power` is that of the error in the loss.
    """

    mean: float
    std: float
    power: int

    def forward_output(self, root: Any, output: Any) -> Any:
        if not floating(output) or not trains(root):
            return output
        self.acted += 1
        return output * self.std + self.mean

    def differentiated(self, loss: Any) -> Any:
        return loss / self.std**self.power  # in standard units, a squared error is smaller by the square of the scale


class TargetsShuffled(Intervening):
    """Shuffles the targets of a training loss, with its own random generator so that the script's is not advanced."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._stream = torch.Generator().manual_seed(seed)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        given, target = loss_pair(args, kwargs)
        training = isinstance(given, torch.Tensor) and given.requires_grad and torch.is_grad_enabled()
        if not training or not isinstance(target, torch.Tensor) or target.dim() == 0 or len(target) < 2:
            return args, kwargs
        order = torch.randperm(len(target), generator=self._stream).to(target.device)
        self.acted += 1
        return with_pair(args, kwargs, given, target[order])
