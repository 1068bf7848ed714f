"""The calls of loss functions, from the `losses` fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import mapping, number, shape, text

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
class Side:
    """What all calls on one line got as input or as target."""

    shape: tuple[int, ...] | None
    dtype: str
    min: float | None
    max: float | None
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class LossCall:
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
    facts: Mapping[str, Any]

    @property
    def made_by(self) -> str:
        """The operation that made the input, for example `Sigmoid` for autograd's `SigmoidBackward0`."""
        return text(self.input.facts.get("grad_fn")).split("Backward")[0].lstrip("_")


def read_losses(found: Iterable[Mapping[str, Any]]) -> tuple[LossCall, ...]:
    return tuple(
        LossCall(
            fn=text(entry.get("fn")) or "the loss",
            kind=loss_kind(text(entry.get("fn"))),
            in_evaluation=entry.get("phase") == "eval",
            site=Site.of(entry.get("site")),
            calls=number(entry.get("calls")) or 0.0,
            reduction=text(entry.get("reduction")),
            input=_side(entry.get("input")),
            target=_side(entry.get("target")),
            broadcast=entry.get("broadcast") is True,
            value_ratio=number(entry.get("value_ratio")),
            facts=entry,
        )
        for entry in found
    )


def _side(value: Any) -> Side:
    found = mapping(value)
    return Side(
        shape(found.get("shape")), text(found.get("dtype")), number(found.get("min")), number(found.get("max")), found
    )
