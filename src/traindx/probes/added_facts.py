"""Adds the facts that probes found to a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record import Event, LayerTable, Run, Series


class _Overlay:
    def __init__(self, run: Run, added: Mapping[str, Any]) -> None:
        self._run = run
        self._added = added

    def facts(self) -> dict[str, Any]:
        return {**self._run.facts, **self._added}

    def series_names(self) -> list[str]:
        return list(self._run.series_names)

    def series(self, name: str) -> Series | None:
        return self._run.series(name) or None

    def quantities(self) -> list[str]:
        return list(self._run.quantities)

    def layers(self, quantity: str) -> LayerTable | None:
        return self._run.layers(quantity) or None

    def events(self) -> list[Event]:
        return list(self._run.events)


def with_facts(run: Run, added: Mapping[str, Any]) -> Run:
    """The same run with these facts added."""
    return Run(run.source, run.kind, _Overlay(run, added))
