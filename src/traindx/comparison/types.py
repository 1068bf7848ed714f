"""The result of a comparison. Reports only show it and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..record.types import FloatArray, IntArray
from .quantity import Quantity

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
