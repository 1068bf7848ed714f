"""What the generator speaks about: a plan (the outer shape of a run), a run (its curves) and a truth (its label)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = dict[str, float]


@dataclass(frozen=True)
class Truth:
    """The label of a run; `row` is the row of the onset, `slack` how many rows around it a reader could also name."""

    verdict: str
    condition: str
    row: int | None = None
    slack: int = 2
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Length, rhythm, noise and task of a run, drawn before its curves."""

    unit: str
    at: Ints
    evals: Ints
    per_epoch: int
    noise: float
    val_noise: float
    hard: int
    task: str
    classes: int
    scale: float

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.at)

    @property
    def x(self) -> Floats:
        """Progress of every row from 0 to 1."""
        return np.linspace(0.0, 1.0, self.n)

    @property
    def start(self) -> float:
        """The loss of an untrained model: ln(classes) for classification and language, one unit for regression."""
        return self.scale if self.task == "regression" else float(np.log(self.classes))

    @property
    def chance(self) -> float:
        """Accuracy of a blind guess."""
        return 1.0 / self.classes

    def row(self, fraction: float) -> int:
        """The row at a fraction of the run."""
        return int(np.clip(round(fraction * (self.n - 1)), 0, self.n - 1))


@dataclass
class Run:
    """A finished run: columns by plain name (`loss`, `val_loss`, `acc`, `lr`, ...), each with its rows and values."""

    plan: Plan
    truth: Truth
    columns: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)
    needs: frozenset[str] = frozenset()
    notes: list[tuple[int, str]] = field(default_factory=list)
    tail: str = ""
    total: int | None = None

    def add(self, name: str, values: Floats, rows: Ints | None = None) -> Run:
        """Add a column; `val_` columns lie on the plan's evaluations unless rows are given, others on all rows.

        Values may be given for all rows of the run: those of the wanted rows are taken out.
        """
        if rows is None:
            rows = self.plan.evals if name.startswith("val_") else np.arange(self.plan.n)
        values = np.asarray(values, dtype=float)
        if len(values) != len(rows):
            values = values[rows]
        self.columns[name] = (np.asarray(rows), values)
        return self

    def need(self, *names: str) -> Run:
        """Name the columns without which the label could not be seen; a format must carry all of them."""
        self.needs = self.needs | frozenset(names)
        return self

    def at_rows(self, names: list[str] | None = None) -> Iterator[tuple[int, Row, Row]]:
        """Walk the rows: row number, training values, evaluation values (empty where none was logged)."""
        wanted = list(self.columns) if names is None else [n for n in names if n in self.columns]
        train: dict[int, Row] = {}
        evals: dict[int, Row] = {}
        for name in wanted:
            book = evals if name.startswith("val_") else train
            for row, value in zip(*self.columns[name], strict=True):
                book.setdefault(int(row), {})[name] = float(value)
        for row in range(self.plan.n):
            yield row, train.get(row, {}), evals.get(row, {})

    def epoch_of(self, row: int) -> float:
        """The (fractional, counted from 0) epoch at the end of a row."""
        at = float(self.plan.at[row])
        return at if self.plan.unit == "epoch" else at / self.plan.per_epoch

    def step_of(self, row: int) -> int:
        """The global optimiser step of a row."""
        at = int(self.plan.at[row])
        return at * self.plan.per_epoch if self.plan.unit == "epoch" else at


Maker = Callable[[np.random.Generator, int], Run]


@dataclass(frozen=True)
class Family:
    """A named written definition together with the function that draws runs by it."""

    name: str
    condition: str
    definition: str
    make: Maker


FAMILIES: dict[str, Family] = {}


def family(condition: str) -> Callable[[Maker], Maker]:
    """Register a function as a family; its docstring is the definition."""

    def register(make: Maker) -> Maker:
        name = make.__name__.replace("_", "-")
        FAMILIES[name] = Family(name, condition, " ".join((make.__doc__ or "").split()), make)
        return make

    return register


def sick(condition: str, row: int | None = None, slack: int = 2, accepted: tuple[str, ...] = ()) -> Truth:
    """Truth of a run whose learning is damaged."""
    return Truth("sick", condition, row, slack, accepted)


def advice(condition: str, row: int | None = None, slack: int = 2, accepted: tuple[str, ...] = ()) -> Truth:
    """Truth of a run that learns soundly but leaves something to gain."""
    return Truth("advice", condition, row, slack, accepted)


def healthy(*accepted: str) -> Truth:
    """Truth of a run about which nothing should be said."""
    return Truth("healthy", "healthy", accepted=tuple(accepted))
