"""What a record says of the program: its models, parameters, optimizers, loaders and loss calls, with types."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .forms import Entry, read
from .site import Site
from .values import entries, number, text

# ── models and parameters ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Module:
    name: str
    type: str
    order: float | None  # None: never executed
    settings: Mapping[str, Any]
    given: tuple[int, ...] = ()  # the shape of the first input, for modules that take sequences
    given_state: tuple[int, ...] = ()  # the shape of the state that the script handed over with it, if it did

    @property
    def maps(self) -> bool:
        """Whether this is a linear map with weights."""
        return self.type.startswith(("Linear", "Conv", "Bilinear", "LazyLinear", "LazyConv", "NonDynamicallyQuant"))

    @property
    def batch_norm(self) -> bool:
        return "BatchNorm" in self.type

    @property
    def norm(self) -> bool:
        return "Norm" in self.type

    @property
    def dropout(self) -> bool:
        return "Dropout" in self.type or self.type in ("DropPath", "StochasticDepth")

    @property
    def recurrent(self) -> bool:
        return self.type.removesuffix("Cell") in ("RNN", "LSTM", "GRU")


class Model(Entry):
    name: str
    class_name: str
    site: Site | None
    compiled: bool
    output: str  # the module that makes its output
    trainable: float  # numbers
    modules: tuple[Module, ...]  # in the order of the record
    elements: float | None


def in_order(models: Iterable[Model]) -> tuple[Module, ...]:
    """Return the modules of all models: first the executed ones, in order of execution."""
    found = [module for model in models for module in model.modules]
    return tuple(sorted(found, key=lambda module: (module.order is None, module.order or 0.0)))


@dataclass(frozen=True)
class Parameter:
    name: str
    module: str
    kind: str
    shape: tuple[int, ...]
    elements: float
    trains: bool | None
    optimizer: int | None
    loaded: bool
    as_initialised: bool | None  # has at the first forward what `torch.nn.init` wrote; None: it was not seen to write
    shared: tuple[str, ...]
    grad: str
    moved: bool | None
    still: bool  # outside any optimizer, and with the same values at several looks
    ran: bool
    depth: float
    fan_in: float | None
    init_mean: float | None
    init_std: float | None
    init_kurtosis: float | None
    rows_identical: float | None
    constant: bool

    @property
    def matrix(self) -> bool:
        """Whether this is a weight that maps the input of a layer to its output: no bias, norm or embedding."""
        return self.kind == "weight" and len(self.shape) >= 2

    @property
    def gain(self) -> float | None:
        """The initial size relative to 1/sqrt(fan_in): about 0.58 by torch's default, 1.4 after Kaiming.

        The mean counts too, because weights that are all positive add up to more than their deviation shows.
        """
        if self.init_std is None or self.fan_in is None or self.fan_in <= 0:
            return None
        return math.hypot(self.init_std, self.init_mean or 0.0) * math.sqrt(self.fan_in)


def read_parameters(found: Iterable[Mapping[str, Any]]) -> tuple[Parameter, ...]:
    """Return all parameters in order of execution, or in the order of the record if that is unknown."""
    listed = []
    for position, entry in enumerate(found):
        depth = number(entry.get("depth"))
        known = {
            "name": text(entry.get("name")) or f"parameter {position}",
            "elements": max(number(entry.get("elements")) or 0.0, 0.0),
            "depth": float(position) if depth is None else depth,
            # A tensor without a module is in the record only because a loss was differentiated with respect to it.
            "ran": entry.get("ran") is True or (entry.get("ran") is None and not text(entry.get("module"))),
        }
        listed.append(read(Parameter, entry, **known))
    return tuple(sorted(listed, key=lambda parameter: parameter.depth))


# ── optimizers and loaders ──────────────────────────────────────────────────────────────────────

# Optimizers that divide the gradient by its own size, so that its scale has no effect on their steps.
ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "adafactor", "lamb", "lion", "novograd", "sophia")


def is_adaptive(class_name: str) -> bool:
    return any(kind in class_name.lower() for kind in ADAPTIVE)


@dataclass(frozen=True)
class Group:
    """One parameter group with its settings."""

    optimizer: str  # the class of its optimizer
    index: int  # of its optimizer
    site: Site | None
    settings: Mapping[str, Any]

    def setting(self, name: str) -> float | None:
        return number(self.settings.get(name))


class Optimizer(Entry):
    class_name: str  # '' if the record does not say
    index: int
    site: Site | None
    groups: tuple[Group, ...]
    tensors: float
    steps: float | None
    first_step: float | None
    closure: bool
    grads_kept: float | None  # steps before which nothing cleared the gradients of the step before
    steps_heard: float | None  # steps for which it is known whether the gradients were cleared before
    emptied: float  # those of them before which the gradients were cleared
    rescaled: float  # steps before which the script changed the gradients that backward had left
    elements: float | None

    @property
    def adaptive(self) -> bool:
        return is_adaptive(self.class_name)


def read_optimizers(found: Iterable[Mapping[str, Any]]) -> tuple[Optimizer, ...]:
    return tuple(_optimizer(entry, index) for index, entry in enumerate(found))


def _optimizer(entry: Mapping[str, Any], index: int) -> Optimizer:
    name, site = text(entry.get("class")) or "the optimizer", Site.of(entry.get("site"))
    groups = tuple(Group(name, index, site, group) for group in entries(entry.get("groups")))
    return read(Optimizer, entry, index=index, groups=groups)


class Loader(Entry):
    """One data loader."""

    role: str  # train, eval or ''
    dataset: str
    size: float | None
    batches: float | None
    passes: float | None
    batch_size: float | None
    sampler: str
    shuffled: bool | None
    workers: float | None
    drop_last: bool
    epochs_set: tuple[int, ...] | None  # at the start of passes, by a DistributedSampler
    site: Site | None


# ── loss calls ──────────────────────────────────────────────────────────────────────────────────

KINDS = {
    "crossentropy": "cross-entropy",
    "nll": "nll",
    "nll2d": "nll",
    "kldiv": "kl",
    "bce": "bce",
    "binarycrossentropy": "bce",
    "bcewithlogits": "bce-logits",
    "binarycrossentropywithlogits": "bce-logits",
    "multilabelsoftmargin": "bce-logits",  # the same loss, averaged over the labels
    "softmargin": "soft-margin",
    "mse": "squared",
    "l1": "absolute",
    "smoothl1": "absolute",
    "huber": "absolute",
    "residual": "residual",  # the script itself computes a function of prediction minus target
}
REGRESSION = ("squared", "absolute", "residual")

# Names in torch.nn.functional, by the kind of their targets: classes, probabilities, values.
OVER_CLASSES = ("cross_entropy", "nll_loss")
OVER_CHANCES = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
OVER_VALUES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def loss_kind(fn: str) -> str:
    """Return the kind of a loss function, by its function name or class name; '' if it is unknown."""
    plain = fn.rsplit(".", 1)[-1].lower().replace("_", "").removesuffix("loss")
    return KINDS.get(plain, "")


@dataclass(frozen=True)
class Bounds:
    min: float | None
    max: float | None


class Side(Entry):
    """What all calls on one line got as input or as target."""

    shape: tuple[int, ...] | None
    dtype: str
    min: float | None
    max: float | None
    row_sum_min: float | None
    row_sum_max: float | None
    # of inputs
    grad_fn: str
    maker: str
    one_row: bool
    divided_min: float | None
    # of targets
    integer_valued: bool | None
    carries_gradient: bool
    bootstrapped: bool
    after_forwards: float
    distinct: float | None


class LossCall(Entry):
    """One line that calls a loss function."""

    fn: str
    kind: str
    in_evaluation: bool
    site: Site | None
    calls: float
    reduction: str
    input: Side
    target: Side
    broadcast: bool
    value_ratio: float | None
    # What backward got over what one term of a summed loss costs; None where the loss is no sum.
    term_ratio: float | None
    trivial: float | None
    averaged: bool | None
    class_weights: bool
    label_smoothing: float
    log_input: bool | None
    signed: Bounds
    ops: tuple[str, ...] | None

    @property
    def made_by(self) -> str:
        """The operation that made the input, for example `Sigmoid` for autograd's `SigmoidBackward0`."""
        return self.input.grad_fn.split("Backward")[0].lstrip("_")

    @property
    def maker(self) -> str:
        """The same, past operations that only rearrange values. Empty where the record does not say."""
        return self.input.maker


def read_losses(found: Iterable[Mapping[str, Any]]) -> tuple[LossCall, ...]:
    return tuple(_loss_call(entry) for entry in found)


def _loss_call(entry: Mapping[str, Any]) -> LossCall:
    fn = text(entry.get("fn"))
    return read(LossCall, entry, fn=fn or "the loss", kind=loss_kind(fn), in_evaluation=entry.get("phase") == "eval")
