"""Finds which quantity the loss of a run is. Losses of different functions or tasks cannot be ranked together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ..record import Run
from ..record.losses import LossCall, loss_kind
from ..record.values import mapping, number, text
from ..wording import listed
from ..wording import num as shown

OVER_CLASSES = ("cross-entropy", "nll")
LOSS_KEYS = ("loss", "loss_fn", "loss_function", "criterion", "objective")
CLASS_KEYS = ("num_classes", "n_classes", "num_labels", "nc", "vocab_size", "n_vocab")
# Words in the name of a column that say which loss it holds.
_WORDS = {
    "rmse": "root of the squared error", "mse": "squared", "mae": "absolute", "l1": "absolute", "huber": "absolute",
    "crossentropy": "cross-entropy", "ce": "cross-entropy", "nll": "nll", "bce": "bce", "kl": "kl", "elbo": "elbo",
}  # fmt: skip
SAME_SCALE = 1.5  # the loss that is backpropagated may include a small penalty besides the value of the loss function


@dataclass(frozen=True)
class Origin:
    """The log that a loss of unknown kind comes from."""

    format: str
    column: str
    beside: frozenset[str]  # the other series of the log

    def may_be_same_program(self, other: Origin) -> bool:
        """Return whether one program may have written both logs.

        They need the same format or column name and, if both hold more than this loss, another series in common.
        """
        named_alike = self.format == other.format or self.column == other.column
        return named_alike and (not self.beside or not other.beside or bool(self.beside & other.beside))

    def __str__(self) -> str:
        others = listed(sorted(name.removeprefix("raw/") for name in self.beside), 3)
        return f"{self.column} of a log in the format {self.format}{f' beside {others}' if others else ''}"


@dataclass(frozen=True)
class Quantity:
    """What is known about a loss. Unknown fields are '' or None."""

    kind: str = ""
    name: str = ""  # the name in the run
    classes: int | None = None
    details: tuple[str, ...] | None = None  # what changes its scale
    origin: Origin | None = None  # only of a log that does not say which loss it holds

    def unlike(self, other: Quantity) -> bool:
        """Return whether the two are different quantities, or come from logs that have nothing in common."""
        if self.origin and other.origin and not self.origin.may_be_same_program(other.origin):
            return True
        pairs = ((self.kind, other.kind), (self.classes, other.classes), (self.details, other.details))
        return any(a != b for a, b in pairs if a not in ("", None) and b not in ("", None))

    def __str__(self) -> str:
        if self.origin and not self.name:
            return str(self.origin)
        over = f" over {self.classes:,} classes" if self.classes else ""
        return ", ".join([f"{self.name or self.kind or 'loss'}{over}", *(self.details or ())])


def quantity_of(run: Run, series: str) -> Quantity:
    """Return the quantity of `loss/train` or `loss/validation`."""
    calls = run.training_losses if "train" in series else run.evaluation_losses or run.training_losses
    if len(calls) == 1:
        return _of_call(calls[0], "train" in series)
    if calls:
        names = sorted({call.fn for call in calls})
        return Quantity(kind=" and ".join(names), name=" and ".join(names))
    return _of_log(run, series)


def _of_call(call: LossCall, training: bool) -> Quantity:
    shape = call.input.shape
    classes = shape[1] if call.kind in OVER_CLASSES and shape and len(shape) > 1 else None
    details = []
    if call.reduction not in ("", "mean"):
        details.append(f"reduction {call.reduction}")
    if smoothing := number(call.facts.get("label_smoothing")):
        details.append(f"label smoothing {shown(smoothing)}")
    if call.facts.get("class_weights"):
        details.append("with class weights")
    ratio = call.value_ratio
    if training and ratio and ratio > 0 and not 1 / SAME_SCALE < ratio < SAME_SCALE:
        details.append(f"multiplied by {ratio:.1g}")
    return Quantity(call.kind or call.fn, call.fn, classes, tuple(details))


def _of_log(run: Run, series: str) -> Quantity:
    log = run.fact("log")
    config = mapping(log.get("config"))
    column = text(mapping(log.get("columns")).get(series))
    words = [word for word in re.split(r"[^a-z0-9]+", column.lower().replace("cross_entropy", "crossentropy")) if word]
    kind, name = next(((_WORDS[word], column) for word in words if word in _WORDS), ("", ""))
    if not kind:
        configured = next((name for key in LOSS_KEYS if (name := text(config.get(key)))), "")
        kind, name = loss_kind(configured) or configured.lower(), configured
    classes = next((int(value) for key in CLASS_KEYS if (value := number(config.get(key))) and value > 1), None)
    if kind or classes or not column:
        return Quantity(kind, name, classes)
    beside = frozenset(run.series_names) - {series, "epoch"}
    return Quantity(kind, name, classes, origin=Origin(run.kind, column.lower(), beside))


def unlike_quantities(found: Sequence[tuple[str, Quantity]]) -> str | None:
    """Return a clause that names the different quantities and their runs; None if all may be the same."""
    if not any(a.unlike(b) for a, b in combinations({quantity for _, quantity in found}, 2)):
        return None
    groups: dict[str, list[str]] = {}
    for name, quantity in found:
        groups.setdefault(str(quantity), []).append(name)
    return "; ".join(f"{quantity} ({listed(names, 3)})" for quantity, names in list(groups.items())[:6])
