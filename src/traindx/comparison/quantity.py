"""Which quantity a run's loss is: losses of different functions or tasks have no common scale and no ranking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ..record import Run
from ..record.losses import LossCall, loss_kind
from ..record.values import mapping, number, text
from ..wording import listed
from ..wording import num as shown

OVER_CLASSES = ("cross-entropy", "nll")
LOSS_KEYS = ("loss", "loss_fn", "loss_function", "criterion", "objective")
CLASS_KEYS = ("num_classes", "n_classes", "num_labels", "nc", "vocab_size", "n_vocab")
# Words in the name of a log's column that say which loss it is.
_WORDS = {
    "rmse": "root of the squared error", "mse": "squared", "mae": "absolute", "l1": "absolute", "huber": "absolute",
    "crossentropy": "cross-entropy", "ce": "cross-entropy", "nll": "nll", "bce": "bce", "kl": "kl", "elbo": "elbo",
}  # fmt: skip
SAME_SCALE = 1.5  # what is differentiated may hold a small penalty beside the function's value


@dataclass(frozen=True)
class Origin:
    """Where a loss of unknown kind comes from."""

    format: str
    column: str
    beside: frozenset[str]  # what else the log holds

    def akin(self, other: Origin) -> bool:
        """Whether the logs may be of one program: of one tool or one name, with something else in common if both hold
        more than this loss."""
        named_alike = self.format == other.format or self.column == other.column
        return named_alike and (not self.beside or not other.beside or bool(self.beside & other.beside))

    def __str__(self) -> str:
        beside = (
            f" beside {listed(sorted(name.removeprefix('raw/') for name in self.beside), 3)}" if self.beside else ""
        )
        return f"{self.column} of a log in the format {self.format}{beside}"


@dataclass(frozen=True)
class Quantity:
    """What is known of a loss; '' and None stand for what is not."""

    kind: str = ""
    name: str = ""  # as the run calls it
    classes: int | None = None
    details: tuple[str, ...] | None = field(default=None)  # what changes its scale; None where it was not seen
    origin: Origin | None = None  # of a log that does not say which loss it holds

    def unlike(self, other: Quantity) -> bool:
        """Whether the two are not the same quantity, or of logs that nothing connects."""
        if self.origin and other.origin and not self.origin.akin(other.origin):
            return True
        pairs = ((self.kind, other.kind), (self.classes, other.classes), (self.details, other.details))
        return any(a != b for a, b in pairs if a not in ("", None) and b not in ("", None))

    def __str__(self) -> str:
        if self.origin and not self.name:
            return str(self.origin)
        over = f" over {self.classes:,} classes" if self.classes else ""
        return ", ".join([f"{self.name or self.kind or 'loss'}{over}", *(self.details or ())])


def quantity_of(run: Run, series: str) -> Quantity:
    """The quantity of `loss/train` or `loss/validation`."""
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
    """A clause that names the different quantities and their runs; None where all may be the same."""
    if not any(a.unlike(b) for a, b in combinations({quantity for _, quantity in found}, 2)):
        return None
    groups: dict[str, list[str]] = {}
    for name, quantity in found:
        groups.setdefault(str(quantity), []).append(name)
    return "; ".join(f"{quantity} ({listed(names, 3)})" for quantity, names in list(groups.items())[:6])
