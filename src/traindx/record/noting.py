"""Notes which facts and series of a run are read, to find what a sign depends on."""

from __future__ import annotations

from typing import Any

from .run import Run
from .types import Event, LayerTable, Series


def noting(run: Run) -> tuple[Run, set[str]]:
    """Return a copy of the run, and a set to which every fact and series that is read from the copy is added."""
    names: set[str] = set()
    return Run(run.source, run.kind, _NotingStore(run, names)), names


class _NotingFacts(dict[str, Any]):
    def __init__(self, facts: dict[str, Any], names: set[str]) -> None:
        super().__init__(facts)
        self._names = names

    def __getitem__(self, key: str) -> Any:
        self._names.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._names.add(key)
        return super().get(key, default)


class _NotingStore:
    """Reads from the run and not from its store, because the run has cached what was read before."""

    def __init__(self, run: Run, names: set[str]) -> None:
        self._run = run
        self._names = names

    def facts(self) -> dict[str, Any]:
        return _NotingFacts(dict(self._run.facts), self._names)

    def series_names(self) -> list[str]:
        return list(self._run.series_names)

    def series(self, name: str) -> Series | None:
        self._names.add(name)
        return self._run.series(name)

    def quantities(self) -> list[str]:
        return list(self._run.quantities)

    def layers(self, quantity: str) -> LayerTable | None:
        return self._run.layers(quantity)

    def events(self) -> list[Event]:
        return list(self._run.events)
