"""What a comparison of runs holds. Reports read these types and compute nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..record.types import FloatArray, IntArray
from .quantity import Quantity

Value = float | int | bool | str


@dataclass(frozen=True)
class Metric:
    """What the user wants to compare by: a series of the record, or a column of the log by its own name."""

    name: str
    higher_is_better: bool


@dataclass(frozen=True, eq=False)
class Measured:
    """One quantity of one run. `best` is of the level, not of a lucky batch; None where no value is finite."""

    name: str
    steps: IntArray  # thinned, and with the points that are not finite
    values: FloatArray
    best: float | None
    best_step: int | None
    final: float | None  # None when the run ended without a finite value
    smooth_steps: IntArray  # the level over time, finite
    smooth: FloatArray
    noise: float  # spread of a point around its neighbours


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of one run, small enough to be sent between processes and kept a thousand times."""

    source: str
    kind: str
    steps: int
    step_unit: str
    settings: Mapping[str, Value]
    named: Mapping[str, Value]  # settings guessed from file and folder names: a last resort
    measured: Mapping[str, Measured]
    quantities: Mapping[str, Quantity]  # which loss each series of losses is
    stability: str
    verdict: str
    summary: str
    cause: str | None
    confidence: float


@dataclass(frozen=True, eq=False)
class Entry:
    """A run's line in the comparison."""

    name: str
    outcome: Outcome
    settings: Mapping[str, Value]  # those that differ
    best: float | None
    best_step: int | None
    final: float | None
    reached: int | None  # the first step at the comparison's level
    value: float | None  # what it counts for: best evaluation or final training level; None when it ended in NaN/Inf
    score: float  # the same for ranking: lower is better, infinite when it ended in NaN/Inf


@dataclass(frozen=True)
class Effect:
    """How strongly one setting, or several that always changed together, is related to the result."""

    settings: tuple[str, ...]
    share: float  # of the variation in rank, 0 to 1
    p_value: float | None  # corrected for the number of settings; None where it cannot be tested
    levels: Sequence[
        tuple[str, int, float]
    ]  # value of the setting, runs, median result (infinite: ended in NaN/Inf); best first
    rival: tuple[str, ...] | None = None  # a setting whose effect cannot be told from this one's


@dataclass(frozen=True)
class Noise:
    """How much runs with equal settings differ."""

    groups: int
    runs: int
    spread: float  # standard deviation of the score within the groups


@dataclass(frozen=True)
class Duplicates:
    names: Sequence[str]
    identical: bool  # to the last digit
    settings_differ: bool


@dataclass(frozen=True)
class Comparison:
    metric: str  # as people call it
    key: str  # under which each outcome has measured it
    higher_is_better: bool
    level: float | None
    ranked: bool  # False where the runs' losses are not the same quantity
    entries: Sequence[Entry]  # best first; by name where they are not ranked
    differing: Sequence[str]  # settings that differ, most telling first
    effects: Sequence[Effect]
    noise: Noise | None
    statement: Sequence[str]  # plain sentences: what explains the difference, and how sure that is
    duplicates: Sequence[Duplicates] = ()
    notes: Sequence[str] = ()
    not_compared: Sequence[tuple[str, str]] = field(default_factory=tuple)  # source, reason
