"""A trial of Ray Tune: a folder with `result.json`, a line for each report, and copies as CSV and TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...record import Run
from ..folders import is_file
from ..options import Options
from ..rows.collector import Collector, numbers_in, parsed
from ..rows.runs import runs_from_rows
from ..source import Source

KIND = "ray-tune"
_RESULTS = "result.json"
_MARKS = (b'"trial_id"', b'"training_iteration"')


def sniff(source: Source) -> float:
    return 0.95 if source.is_dir and is_run(source.path) else 0.0


def is_run(folder: Path) -> bool:
    results = folder / _RESULTS
    return is_file(results) and all(mark in Source(results).head for mark in _MARKS)


def read(source: Source, options: Options) -> list[Run]:
    results = Source(source.path / _RESULTS)
    collector, config, skipped = Collector(), dict[str, Any](), 0
    for line in results.lines():
        row = parsed(line)
        if isinstance(row, dict):
            settings = row.pop("config", None)
            config |= settings if isinstance(settings, dict) else {}
            collector.add(numbers_in(row))
        elif line.strip():
            skipped += 1
    table = collector.table()
    table.config, table.skipped = config, skipped + results.skipped_long_lines
    return runs_from_rows(table, source.name, KIND, options) if table.columns else []
