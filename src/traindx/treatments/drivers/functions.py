"""Functions of torch that the script calls, and the autograd graph that they build."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree as pytree

from .._base import ACTIVATIONS
from .acting import Intervening, called_by_user, floating, replace, replace_all, trains

PLACES = (torch, torch.Tensor)
SMALL = 1e-8
BOUNDED: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("log", "log2", "log10"), lambda x: x.clamp(min=SMALL)),
    **dict.fromkeys(("sqrt", "rsqrt"), lambda x: x.clamp(min=0.0) + 1e-12),
    **dict.fromkeys(("exp", "exp2", "expm1"), lambda x: x.clamp(max=20.0)),
    **dict.fromkeys(("acos", "asin", "atanh"), lambda x: x.clamp(-1 + 1e-6, 1 - 1e-6)),
    "reciprocal": lambda x: _away_from_zero(x),
}
DIVISIONS = ("div", "true_divide", "divide", "__truediv__", "__rtruediv__")


class Guarded(Intervening):
    """Keeps the arguments of log, sqrt, division, exp and similar functions where values and derivatives are finite.
    Only in the script's own calls, because torch's optimizers and layers are safe. `share`: divisors are bounded below
    by this share of their mean size."""

    def __init__(self, share: float = 0.0) -> None:
        super().__init__()
        self._share = share
        replace_all(tuple(BOUNDED), self._bounded, PLACES)
        replace_all(DIVISIONS, self._divided, PLACES)
        replace_all(("norm",), self._norm, PLACES)

    def _bounded(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        if floating(given) and called_by_user():
            safe = BOUNDED[name](given)
            self.acted += not bool((safe == given).all())
            given = safe
        return old(given, *args, **kwargs)

    def _divided(self, name: str, old: Callable[..., Any], given: Any, other: Any, *args: Any, **kwargs: Any) -> Any:
        reflected = name == "__rtruediv__"
        divisor = given if reflected else other
        small = SMALL
        if floating(divisor) and self._share and divisor.numel() > 1:
            small = max(SMALL, self._share * float(divisor.detach().abs().mean()))
        if floating(divisor) and called_by_user() and bool((divisor.abs() < small).any()):
            self.acted += 1
            divisor = _away_from_zero(divisor, small)
            given, other = (divisor, other) if reflected else (given, divisor)
        return old(given, other, *args, **kwargs)

    def _norm(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        # The norm has no derivative at zero. Away from zero, the small number is lost in rounding.
        if floating(given) and given.requires_grad and called_by_user():
            self.acted += bool((given == 0).any())
            given = given + 1e-12
        return old(given, *args, **kwargs)


def _away_from_zero(value: Any, small: float = SMALL) -> Any:
    return torch.where(value.abs() < small, torch.where(value < 0, -small, small).to(value.dtype), value)


class LeakyRelus(Intervening):
    """Replaces ReLU by LeakyReLU in the functions, which modules call too. In the script's own code, `x.clamp(min=0)`
    is also a ReLU."""

    def __init__(self, slope: float) -> None:
        super().__init__()
        self._slope = slope
        replace_all(("relu",), lambda _name, _old, given, inplace=False: self._relu(given))
        replace_all(("clamp", "clamp_min", "clip"), self._clamped, PLACES)

    def _clamped(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        low = args[0] if args else kwargs.get("min")
        high = args[1] if len(args) > 1 else kwargs.get("max")
        rectifies = isinstance(low, (int, float)) and low == 0 and high is None
        if rectifies and floating(given) and given.requires_grad and called_by_user():
            return self._relu(given)
        return old(given, *args, **kwargs)

    def _relu(self, given: Any) -> Any:
        self.acted += 1
        return torch.nn.functional.leaky_relu(given, self._slope)


class SoftmaxAlong(Intervening):
    """Applies softmax along `to` where the script applies it over the batch."""

    def __init__(self, to: int) -> None:
        super().__init__()
        self._to = to
        replace_all(("softmax", "log_softmax"), self._softmax)

    def _softmax(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        dim = kwargs.get("dim", args[0] if args else None)
        if given.dim() > 1 and dim in (0, -given.dim()):
            self.acted += 1
            if "dim" in kwargs:
                kwargs = {**kwargs, "dim": self._to}
            else:
                args = (self._to, *args[1:])
        return old(given, *args, **kwargs)


class OutputFreed(Intervening):
    """Removes the activation at the end of the model. Watches the activation functions of torch, which modules call
    too: the input of the last call is the output without its activation. `outside`: an activation that the script calls
    between model and loss."""

    def __init__(self, outside: str | None) -> None:
        super().__init__()
        self._outside = outside
        self._last: tuple[Any, Any] | None = None
        self._inside = False
        self.note = "no activation makes the model's output"
        replace_all(ACTIVATIONS, self._activation)

    def _activation(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        if name == self._outside and not self._inside and floating(given) and called_by_user():
            self.acted += 1
            return given
        if kwargs.get("inplace") or (args and args[-1] is True):
            return old(given, *args, **kwargs)  # an in-place call destroys its input
        made = old(given, *args, **kwargs)
        if self._inside:
            self._last = (made, given)
        return made

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._inside, self._last = True, None
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        last, self._last, self._inside = self._last, None, False
        if last is None or not floating(output):
            return output
        made, given = last
        reshaped = (
            output._is_view() and output._base is made and output.numel() == given.numel()
        )  # sigmoid(x).squeeze()
        if output is not made and not reshaped:
            return output
        self.acted += 1
        return given.reshape(output.shape)


class GraphKept(Intervening):
    """Ignores the script's detach(), .data and no_grad() in training forwards, so that gradients reach all layers. Only
    in its own code inside a model's forward, because torch and watchers need theirs. A `bare` network has no modules;
    its forward is everything between a step and the next backward."""

    def __init__(self, bare: bool = False) -> None:
        super().__init__()
        self._bare = bare
        self._inside = False
        self._detach = replace(torch.Tensor, "detach", self._kept)
        self._data = torch.Tensor.data
        torch.Tensor.data = property(self._get_data, self._data.__set__)
        self._no_grad = replace(torch.no_grad, "__enter__", self._entered)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._inside = torch.is_grad_enabled() and trains(root)
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        self._inside = False
        return output

    def after_step(self, optimizer: Any) -> None:
        self._inside = self._inside or self._bare

    def before_backward(self, loss: Any) -> None:
        self._inside = False

    def _kept(self, tensor: Any) -> Any:
        if self._inside and tensor.requires_grad and called_by_user():
            self.acted += 1
            return tensor
        return self._detach(tensor)

    def _get_data(self, tensor: Any) -> Any:
        attached = tensor.requires_grad if self._bare else tensor.grad_fn is not None
        if self._inside and attached and called_by_user(2):  # a property is called without a frame between
            self.acted += 1
            return tensor
        return self._data.__get__(tensor)

    def _entered(self, context: Any) -> Any:
        entered = self._no_grad(context)
        if self._inside and not self._bare and called_by_user():
            self.acted += 1
            torch.set_grad_enabled(True)
        return entered


class GraphsReleased(Intervening):
    """Releases the graphs that the script keeps alive: of losses after their backward, and of state carried between
    steps."""

    def __init__(self) -> None:
        super().__init__()
        self._losses: list[Any] = []
        self._outputs: list[Any] = []  # references to the models' outputs in the step before
        self._fresh: list[Any] = []  # the same in this step

    def before_backward(self, loss: Any) -> None:
        self._losses.append(loss)

    def before_step(self, optimizer: Any) -> None:
        for kept in [*self._losses, *(ref() for ref in self._outputs)]:
            if kept is not None and kept.grad_fn is not None and not kept._is_view():
                kept.detach_()
                self.acted += 1
        self._losses = []
        self._outputs, self._fresh = self._fresh, []

    def forward_output(self, root: Any, output: Any) -> Any:
        leaves = [x for x in pytree.tree_leaves(output) if isinstance(x, torch.Tensor) and x.grad_fn is not None]
        self._fresh += [weakref.ref(leaf) for leaf in leaves]
        return output

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        old = {id(leaf) for ref in self._outputs if (leaf := ref()) is not None}

        def released(leaf: Any) -> Any:
            if id(leaf) not in old:
                return leaf
            self.acted += 1
            return leaf.detach()

        return pytree.tree_map(released, (args, kwargs)) if old else (args, kwargs)
