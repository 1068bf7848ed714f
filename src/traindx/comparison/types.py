"""The result of a comparison. Reports only show it and compute nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from ..record import Run
from ..record.program import LossCall, loss_kind
from ..record.types import FloatArray, IntArray
from ..record.values import number, text
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
    if smoothing := call.label_smoothing:
        details.append(f"label smoothing {shown(smoothing)}")
    if call.class_weights:
        details.append("with class weights")
    ratio = call.value_ratio
    if training and ratio and ratio > 0 and not 1 / SAME_SCALE < ratio < SAME_SCALE:
        details.append(f"multiplied by {ratio:.1g}")
    return Quantity(call.kind or call.fn, call.fn, classes, tuple(details))


def _of_log(run: Run, series: str) -> Quantity:
    log = run.log
    config = log.config
    column = text(log.columns.get(series))
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


Value = float | int | bool | str


@dataclass(frozen=True)
class Metric:
    """What the user wants to compare by: the name of a series of the record, or of a column of the log."""

    name: str
    higher_is_better: bool


@dataclass(frozen=True, eq=False)
class Measured:
    """One quantity of one run. `best` is the best of the smoothed curve; None if no value is finite."""

    name: str
    steps: IntArray  # thinned, but with the non-finite points
    values: FloatArray
    best: float | None
    best_step: int | None
    final: float | None  # None if the run ended in NaN/Inf
    smooth_steps: IntArray
    smooth: FloatArray  # the smoothed curve; all values are finite
    noise: float  # spread of the points around their neighbours


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of one run. It is small: processes send it to each other, and a thousand fit in memory."""

    source: str
    kind: str
    steps: int
    step_unit: str
    settings: Mapping[str, Value]
    named: Mapping[str, Value]  # settings guessed from file and folder names
    measured: Mapping[str, Measured]
    quantities: Mapping[str, Quantity]  # which loss each loss series holds
    stability: str
    verdict: str
    summary: str
    cause: str | None
    confidence: float
    condition: str | None = None  # what the run is in, by its id and its title; of a healthy run, what could be better
    condition_title: str = ""
    since: int | None = None  # where it does not hold from the start on
    bad: bool = False  # whether the condition makes the run sick


@dataclass(frozen=True, eq=False)
class Entry:
    """The row of one run in the comparison."""

    name: str
    outcome: Outcome
    settings: Mapping[str, Value]  # those that differ
    best: float | None
    best_step: int | None
    final: float | None
    reached: int | None  # the first step at the level of the comparison
    value: float | None  # best evaluation or final training value; None if the run ended in NaN/Inf
    score: float  # the value for ranking: lower is better, infinite if the run ended in NaN/Inf


@dataclass(frozen=True)
class Effect:
    """How strongly one setting, or several that always changed together, is related to the result."""

    settings: tuple[str, ...]
    share: float  # of the variance of the ranks, 0 to 1
    p_value: float | None  # corrected for the number of settings; None if it cannot be tested
    # Value of the setting, number of runs, median result (infinite: ended in NaN/Inf); best first.
    levels: Sequence[tuple[str, int, float]]
    rival: tuple[str, ...] | None = None  # confounded settings: these may explain the result as well


@dataclass(frozen=True)
class Noise:
    """How much runs with equal settings differ."""

    groups: int
    runs: int
    spread: float  # standard deviation of the score within the groups


@dataclass(frozen=True)
class Duplicates:
    names: Sequence[str]
    identical: bool  # every value is equal
    settings_differ: bool


@dataclass(frozen=True)
class Comparison:
    metric: str  # its name in reports
    key: str  # its key in `Outcome.measured`
    higher_is_better: bool
    level: float | None
    ranked: bool  # False if the losses of the runs are different quantities
    entries: Sequence[Entry]  # best first; by name if they are not ranked
    differing: Sequence[str]  # settings that differ, smallest p-value first
    effects: Sequence[Effect]
    noise: Noise | None
    statement: Sequence[str]  # plain sentences: what explains the difference, and how sure that is
    duplicates: Sequence[Duplicates] = ()
    notes: Sequence[str] = ()
    not_compared: Sequence[tuple[str, str]] = field(default_factory=tuple)  # source, reason
