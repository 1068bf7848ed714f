"""`Run`: what is known about one training, from any source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..wording import clean
from .ending import with_ending
from .facts import Facts
from .program import (
    Group,
    Loader,
    LossCall,
    Module,
    Optimizer,
    Parameter,
    in_order,
    read_losses,
    read_optimizers,
    read_parameters,
)
from .types import Event, LayerTable, Series, empty_series, empty_table, steps_covered
from .values import entries, mapping

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis

# A look after this share of the run shows its end: the last tenth, with a margin for the gaps between looks.
NEAR_THE_END = 0.88


@dataclass
class Data:
    """What a run holds."""

    facts: dict[str, Any] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    tables: dict[str, LayerTable] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


class Run(Facts):
    """One training run: facts, scalar series, per-layer tables and events. Read-only.

    `docs/record.md` lists the names that observers, readers and probes write and signs read.
    """

    def __init__(self, source: str, kind: str, data: Data) -> None:
        self.source = source
        self.kind = kind
        self._data = data

    def __repr__(self) -> str:
        unit = self.step_unit
        source = clean(self.source).replace("\n", " ")
        return f"<Run {source} ({self.kind}, {self.steps:,} {unit}{'' if self.steps == 1 else 's'})>"

    def __str__(self) -> str:
        """What the run holds, and how to diagnose it."""
        lines = [repr(self)]
        lines += [f"  series  {', '.join(self.series_names)}"] if self.series_names else []
        lines += [f"  layers  {', '.join(self.quantities)}"] if self.quantities else []
        return "\n".join([*lines, "  print(run.diagnose()) says what is wrong"])

    def _repr_html_(self) -> str:
        """What a notebook shows: verdict, causes and curve."""
        return self.diagnose()._repr_html_()

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        facts = self._data.facts
        return with_ending(facts, self.source) if self.kind in ("observed", "recorded") else facts

    @property
    def events(self) -> Sequence[Event]:
        return self._data.events

    @property
    def series_names(self) -> Sequence[str]:
        return list(self._data.series)

    @property
    def quantities(self) -> Sequence[str]:
        return list(self._data.tables)

    def series(self, name: str) -> Series:
        """Return the series of that name; an empty one if the run has none."""
        return self._data.series.get(name) or empty_series(name)

    def layers(self, quantity: str) -> LayerTable:
        """Return the per-layer table of that quantity; an empty one if the run has none."""
        return self._data.tables.get(quantity) or empty_table(quantity)

    def with_facts(self, added: Mapping[str, Any]) -> Run:
        """Return the same run with these facts added."""
        return Run(self.source, self.kind, replace(self._data, facts={**self.facts, **added}))

    def noting(self) -> tuple[Run, set[str]]:
        """Return the same run, and a set to which every fact and series that is read from it is added: to find what a
        sign depends on."""
        names: set[str] = set()
        data = replace(self._data, facts=_Noting(self.facts, names), series=_Noting(self._data.series, names))
        return Run(self.source, self.kind, data), names

    def events_of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]

    @cached_property
    def steps(self) -> int:
        """How many training steps the run is known to have taken."""
        counted = self.facts.get("steps")
        if isinstance(counted, int):
            return counted
        losses = self.series("loss/train") or self.series("loss/validation")
        # A log of accuracies alone has no loss.
        return steps_covered([losses.steps] if losses else [self.series(name).steps for name in self.series_names])

    # ── facts with types; unknown ones are absent, empty or None ────────────────────────────────

    def fact(self, key: str) -> Mapping[str, Any]:
        """Return the fact of that name if it is a mapping; an empty mapping otherwise."""
        return mapping(self.facts.get(key))

    def entries(self, key: str) -> list[Mapping[str, Any]]:
        """Return the mappings in a fact that is a list; an empty list otherwise."""
        return entries(self.facts.get(key))

    @cached_property
    def optimizers(self) -> tuple[Optimizer, ...]:
        return read_optimizers(self.entries("optimizers"))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The parameter groups of all optimizers."""
        return tuple(group for optimizer in self.optimizers for group in optimizer.groups)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters; empty with `torch.func`, where the model's own parameters are not the ones that train."""
        functional = any(site.functional for site in self.backward_sites)
        return () if functional else read_parameters(self.entries("params"))

    @cached_property
    def losses(self) -> tuple[LossCall, ...]:
        """Every line that calls a loss function."""
        return read_losses(self.entries("losses"))

    @cached_property
    def training_losses(self) -> tuple[LossCall, ...]:
        return tuple(call for call in self.losses if not call.in_evaluation)

    @cached_property
    def evaluation_losses(self) -> tuple[LossCall, ...]:
        return tuple(call for call in self.losses if call.in_evaluation)

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The modules of all models, executed ones first and in order of execution."""
        return in_order(self.models)

    @cached_property
    def training_loaders(self) -> tuple[Loader, ...]:
        return tuple(loader for loader in self.loaders if loader.role == "train")

    @cached_property
    def backwards_per_step(self) -> float:
        """How many backward passes of one line contribute to one update; 1 if unknown."""
        return max([1.0, *(site.per_step or 0.0 for site in self.backward_sites)])

    @cached_property
    def seen_in_part(self) -> str | None:
        """Why the run was not observed to its end; None if it was. Something may have happened after that."""
        reason = self.observers_off.get("everything")
        return reason if isinstance(reason, str) else None

    def end_unseen(self, look: str) -> str | None:
        """Return why looks of one kind do not show the end of the run; None if they do.

        The kinds are `light`, `deep` and `evaluation`. Losses and learning rates are recorded at every step (`step`)
        and need no look.
        """
        if self.seen_in_part:
            return "the run was not observed to its end"
        covered = self.coverage.get(look)
        if covered is None or covered.until is None or covered.last is None or covered.until >= NEAR_THE_END:
            return None
        return f"the last look was at step {covered.last:.0f} of {self.steps}, which is not the end of the run"

    @cached_property
    def planned_steps(self) -> int | None:
        """How many steps the run was meant to have; None if that is unknown or the script ended by itself."""
        planned = self.planned.steps
        return None if planned is None or planned < 1 or self.ended_by_itself else int(planned)

    @property
    def ended_by_itself(self) -> bool:
        """Whether the script itself ended the run."""
        return self.exit == "ok" or self.exit.startswith("exit ")

    @cached_property
    def step_unit(self) -> str:
        """What one step of the series is: a step, an epoch or a row of a log."""
        return self.log.step_unit or "step"

    def diagnose(self) -> Diagnosis:
        """Find what is wrong with this run, most likely cause first."""
        # The only import of a later stage in this room: in a notebook, people have a Run and call its methods.
        from ..diagnosis import diagnose

        return diagnose(self)

    def to_pandas(self) -> Any:
        """Return all scalar series side by side, indexed by step (with the last value of a repeated step)."""
        import pandas as pd

        columns = {}
        for name in self.series_names:
            series = self.series(name)
            column = pd.Series(series.values, index=pd.Index(series.steps, name="step"))
            columns[name] = column[~column.index.duplicated(keep="last")]
        return pd.DataFrame(columns).sort_index()


class _Noting(dict[str, Any]):
    """Notes which keys are asked for."""

    def __init__(self, held: Mapping[str, Any], names: set[str]) -> None:
        super().__init__(held)
        self._names = names

    def __getitem__(self, key: str) -> Any:
        self._names.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._names.add(key)
        return super().get(key, default)


class RunBuilder:
    """Builds a `Run` in memory.

    >>> run = RunBuilder("train.log", "text").series("loss/train", [0, 1], [2.3, 2.1]).build()
    >>> run.series("loss/train").values
    array([2.3, 2.1])
    """

    def __init__(self, source: str, kind: str) -> None:
        self._source = source
        self._kind = kind
        self._data = Data()

    def measurements_of(self, run: Run) -> RunBuilder:
        """Take the series and tables of another run."""
        self._data.series.update(run._data.series)
        self._data.tables.update(run._data.tables)
        return self

    def fact(self, key: str, value: Any) -> RunBuilder:
        self._data.facts[key] = value
        return self

    def series(self, name: str, steps: ArrayLike, values: ArrayLike) -> RunBuilder:
        step_array = np.asarray(steps, dtype=np.int64)
        value_array = np.asarray(values, dtype=np.float64)
        if step_array.shape != value_array.shape or step_array.ndim != 1:
            raise ValueError(f"{name}: steps of shape {step_array.shape} and values of shape {value_array.shape}")
        self._data.series[name] = Series(name, step_array, value_array)
        return self

    def layers(self, quantity: str, steps: ArrayLike, layers: Iterable[str], values: ArrayLike) -> RunBuilder:
        table = LayerTable(quantity, np.asarray(steps, np.int64), tuple(layers), np.asarray(values, np.float64))
        if table.values.shape != (len(table.steps), len(table.layers)):
            raise ValueError(f"{quantity}: table of shape {table.values.shape}")
        self._data.tables[quantity] = table
        return self

    def event(self, kind: str, step: int | None = None, **data: Any) -> RunBuilder:
        self._data.events.append(Event(kind, step, data))
        return self

    def build(self) -> Run:
        return Run(self._source, self._kind, self._data)
