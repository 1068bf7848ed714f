"""Writes a run from memory to a `.tdx` file."""

from __future__ import annotations

from pathlib import Path

from .run import Run
from .writer import RecordWriter


def save(run: Run, path: Path) -> None:
    """Write the run. Raises `RecordError` if the file cannot be created."""
    writer = RecordWriter(path)
    for key, value in run.facts.items():
        writer.fact(key, value)
    for name in run.series_names:
        series = run.series(name)
        writer.points(name, series.steps.tolist(), series.values.tolist())
    for quantity in run.quantities:
        table = run.layers(quantity)
        for step, row in zip(table.steps.tolist(), table.values.tolist(), strict=True):
            writer.layers(quantity, step, table.layers, row)
    for event in run.events:
        writer.event(event.kind, event.step, **event.data)
    writer.close()
