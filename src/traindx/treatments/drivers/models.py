"""Models: their layers and initial weights, before the first forward, and their modes and precision.

No change adds parameters, because the optimizer would lack them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from .._base import BATCH_NORMS, SQUASHING, SQUASHING_CALLS, WEIGHTED
from .acting import Intervening, called_by_user, floating, named, on_tensors, replace, replace_all, trains

MOST_GROUPS = 8
HALVES = (torch.float16, torch.bfloat16)


# ── layers ──────────────────────────────────────────────────────────────────────────────────────────


def swapped(root: Any, kinds: Sequence[str], keep: Sequence[str], make: Callable[[Any], Any]) -> int:
    """Replace each module of these types, except those in `keep`, by `make(old)`. Returns how many were replaced."""
    found = [
        (name, module) for name, module in root.named_modules()
        if name and type(module).__name__ in kinds and not named(name, keep)
    ]  # fmt: skip
    for name, module in found:
        parent, _, child = name.rpartition(".")
        setattr(root.get_submodule(parent), child, make(module).train(module.training))
    return len(found)


def hidden_layers(root: Any, keep: Sequence[str]) -> list[Any]:
    """The layers with weights, except the output layer. If that is unknown, the last one is left out."""
    found = [(name, module) for name, module in root.named_modules() if type(module).__name__ in WEIGHTED]
    hidden = [module for name, module in found if not named(name, keep)]
    return hidden if len(hidden) < len(found) else hidden[:-1]


def normalised(output: Any) -> Any:
    """Layer norm without parameters: over the features of a linear layer, all axes but the batch of a convolution."""
    # Three axes are usually (batch, time, features).
    return nn.functional.layer_norm(output, output.shape[1:] if output.dim() > 3 else output.shape[-1:])


@dataclass(eq=False)
class HiddenOutputs(Intervening):
    """Changes what hidden layers return. `kind`: `relu`, `norm`, or `skip` (adds the input, where the shapes agree)."""

    kind: str
    keep: Sequence[str]

    def model_ready(self, root: Any) -> None:
        for layer in hidden_layers(root, self.keep):
            layer.register_forward_hook(self._changed)
            self.acted += self.kind != "skip"

    def _changed(self, module: Any, given: Any, output: Any) -> Any:
        if self.kind != "skip":
            return output.relu() if self.kind == "relu" else normalised(output)
        if not given or given[0].shape != output.shape:
            return output
        self.acted += 1
        return output + given[0]


class GroupNorms(Intervening):
    """GroupNorm in place of BatchNorm, with the same parameters."""

    def model_ready(self, root: Any) -> None:
        self.acted += swapped(root, BATCH_NORMS, (), _grouped)


def _grouped(old: Any) -> Any:
    groups = next(n for n in range(min(MOST_GROUPS, old.num_features), 0, -1) if old.num_features % n == 0)
    new = nn.GroupNorm(groups, old.num_features, eps=old.eps, affine=old.affine)
    if old.affine:
        new.weight, new.bias = old.weight, old.bias  # the optimizer holds these
    return new


class Rectified(Intervening):
    """ReLU in place of sigmoid and tanh in hidden layers, after a layer norm or with He initialisation. Modules are
    replaced before the first forward, function calls from the second forward on."""

    def __init__(self, keep: Sequence[str], normalise: bool = False, initialise: bool = False) -> None:
        super().__init__()
        self._keep, self._normalise, self._initialise = tuple(keep), normalise, initialise
        self._swapped = 0
        self._calls = HiddenCalls(SQUASHING_CALLS, torch.relu)

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._calls.begin(root)
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        self._calls.end(output)
        self.acted = self._swapped + self._calls.count
        return output

    def model_ready(self, root: Any) -> None:
        self._swapped += swapped(root, SQUASHING, self._keep, lambda _: nn.ReLU())
        if self._normalise:
            for layer in hidden_layers(root, self._keep):
                layer.register_forward_hook(lambda _module, _given, output: normalised(output))
        if self._initialise:
            with torch.random.fork_rng(devices=[]), torch.no_grad():
                for module in root.modules():
                    if type(module).__name__ in WEIGHTED and module.weight.dim() > 1:
                        nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                        if module.bias is not None:
                            module.bias.zero_()


class HiddenCalls:
    """Replaces calls of these functions in the script's own forward by `instead(x)`, except the call that makes the
    model's output. The first forward runs unchanged, to find that call."""

    def __init__(self, names: Sequence[str], instead: Callable[[Any], Any]) -> None:
        self.count = 0
        self._instead = instead
        self._inside = False
        self._calls = 0
        self._last: Any = None
        self._kept: int | None = None  # number of calls in a forward before the one that makes the output
        replace_all(names, self._activation)

    def begin(self, root: Any) -> None:
        self._inside, self._calls, self._last = trains(root), 0, None

    def end(self, output: Any) -> None:
        if self._inside and self._kept is None and self._calls:
            made = self._last
            whole = output is made or (floating(output) and output._is_view() and output._base is made)
            self._kept = self._calls - 1 if whole else self._calls
        self._inside, self._last = False, None

    def _activation(self, name: str, old: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._inside or not floating(given) or not called_by_user():
            return old(given, *args, **kwargs)
        self._calls += 1
        if self._kept is not None and self._calls <= self._kept:
            self.count += 1
            return self._instead(given)
        self._last = old(given, *args, **kwargs)
        return self._last


@dataclass(eq=False)
class Widened(Intervening):
    """Makes hidden linear layers wider. The parameters stay the same objects with larger data, so the optimizer still
    holds them."""

    factor: int

    def model_ready(self, root: Any) -> None:
        layers = [m for m in root.modules() if type(m).__name__ in ("Linear", "BatchNorm1d", "LayerNorm")]
        for one, other in pairwise(layers):
            # Layers with a norm between them are left alone: the norm would have to grow too.
            linear = type(one).__name__ == type(other).__name__ == "Linear"
            if linear and one.out_features == other.in_features:
                _resize(one, one.in_features, one.out_features * self.factor)
                _resize(other, other.in_features * self.factor, other.out_features)
                self.acted += 1
        if not self.acted:
            self.note = "no linear layer directly follows another one"


def _resize(layer: Any, inputs: int, outputs: int) -> None:
    with torch.random.fork_rng(devices=[]):
        fresh = nn.Linear(inputs, outputs, bias=layer.bias is not None, dtype=layer.weight.dtype)
    layer.in_features, layer.out_features = inputs, outputs
    layer.weight.data = fresh.weight.data.to(layer.weight.device)
    if layer.bias is not None:
        layer.bias.data = fresh.bias.data.to(layer.weight.device)


# ── initial weights ─────────────────────────────────────────────────────────────────────────────────


@dataclass(eq=False)
class Zeroed(Intervening):
    names: Sequence[str]

    @torch.no_grad()
    def model_ready(self, root: Any) -> None:
        for name, parameter in root.named_parameters():
            if named(name, self.names):
                parameter.zero_()
                self.acted += 1


@dataclass(eq=False)
class Reinitialised(Intervening):
    """Draws these weights again by a rule (`he`, `xavier`, `orthogonal`), and zeroes the biases beside them. `fans`:
    the inputs of each weight; empty for a network of bare tensors, whose weights are those of the optimizer. The random
    state of the script does not change."""

    rule: str
    fans: Mapping[str, Any]

    def optimizer_made(self, optimizer: Any) -> None:
        if self.fans:
            return
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            for parameter in [p for group in optimizer.param_groups for p in group["params"]]:
                if parameter.dim() > 1:
                    nn.init.xavier_normal_(parameter)
                    self.acted += 1

    def model_ready(self, root: Any) -> None:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            for name, parameter in root.named_parameters():
                if name.endswith("bias"):
                    # Bad initialisations often set the biases of the same layers too.
                    if named(name.removesuffix("bias") + "weight", list(self.fans)):
                        parameter.zero_()
                elif parameter.dim() > 1 and named(name, list(self.fans)):
                    self._draw(name, parameter)
                    self.acted += 1

    def _draw(self, name: str, parameter: Any) -> None:
        gain = 2**0.5 if self.rule == "he" else 1.0
        if self.rule == "orthogonal" or "weight_hh" in name:
            nn.init.orthogonal_(parameter, gain)
            return
        known = (fan for key, fan in self.fans.items() if named(name, [key]) and fan)
        fan_in = next(known, None) or parameter[0].numel()
        fan_out = parameter.numel() / fan_in
        parameter.normal_(0.0, gain / fan_in**0.5 if self.rule == "he" else (2.0 / (fan_in + fan_out)) ** 0.5)


# ── modes and precision ─────────────────────────────────────────────────────────────────────────────


class Dropout(Intervening):
    """Changes the probability of dropout, in modules and calls of the function, where it is above `above`."""

    def __init__(self, p: float, above: float = 0.0) -> None:
        super().__init__()
        self._p, self._above = p, above
        self._old = replace(nn.functional, "dropout", self._dropout)

    def model_ready(self, root: Any) -> None:
        for module in root.modules():
            if "Dropout" in type(module).__name__ and self._above < getattr(module, "p", 0.0) != self._p:
                module.p = self._p
                self.acted += 1

    def _dropout(self, given: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if training and p > self._above and p != self._p:
            self.acted += 1
            p = self._p
        return self._old(given, p, training, inplace)


class Modes(Intervening):
    """Puts models into train mode for training forwards (`train`), or into eval mode for forwards without gradients
    (`evaluate`). The mode is restored at the next event, not at once, because watchers read it after the forward."""

    def __init__(self, train: bool = False, evaluate: bool = False) -> None:
        super().__init__()
        self._train, self._evaluate = train, evaluate
        self._loaders: weakref.WeakSet[Any] = weakref.WeakSet()  # that a forward without gradients used
        self._loader: Any = None
        self._before: list[tuple[Any, bool]] = []
        self._evaluating = False
        if evaluate:
            self._dropout = replace(nn.functional, "dropout", self._dropped)

    def _dropped(self, given: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        """A call without `training=self.training` would drop units in eval mode too."""
        if self._evaluating and training:
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
        self._put_back()
        training = torch.is_grad_enabled()
        if not training and self._loader is not None:
            self._loaders.add(self._loader)
        training = training and not (self._loader is not None and self._loader in self._loaders)
        self._evaluating = not training
        modules = list(root.modules())
        if (self._train if training else self._evaluate) and any(m.training != training for m in modules):
            self._before = [(module, module.training) for module in modules]
            for module in modules:
                module.training = training
            self.acted += 1
        return args, kwargs

    def _put_back(self) -> None:
        for module, training in self._before:
            module.training = training
        self._before = []


class Float32(Intervening):
    """Turns off autocast, and converts half-precision models to float32."""

    def autocast(self, settings: dict[str, Any]) -> dict[str, Any]:
        self.acted += bool(settings.get("enabled", True))
        return {**settings, "enabled": False}

    def model_ready(self, root: Any) -> None:
        if any(p.dtype in HALVES for p in root.parameters()):
            root.float()  # the parameters stay the same objects, so the optimizer still holds them
            self.acted += 1

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return on_tensors(_widened, args), on_tensors(_widened, kwargs)

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return on_tensors(_widened, args), on_tensors(_widened, kwargs)


def _widened(tensor: Any) -> Any:
    return tensor.float() if tensor.dtype in HALVES else tensor
