"""Tables with one value per row: exports of MLflow and other trackers with columns `metric`, `step` and `value`."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ...record import Run
from ..errors import ReaderError
from ..options import Options
from ..rows.collector import Collector, number
from ..rows.runs import runs_from_rows
from ..source import Source

KIND = "csv"
_SEPARATORS = ",\t;"
_METRIC = ("metric", "metric_name", "metric name", "tag", "key", "variable", "series")
_VALUE = ("value", "metric_value", "metric value")
_STEP = ("step", "epoch", "iteration", "global_step")
_RUN = ("run id", "run_id", "run", "run_name", "run name", "experiment")


def sniff(source: Source) -> float:
    return 0.95 if not source.is_dir and _header(source) is not None else 0.0


def read(source: Source, options: Options) -> list[Run]:
    found = _header(source)
    if found is None:
        raise ReaderError(f"{source.name} has no columns for metric, step and value")
    _, names = found
    step = _first(names, _STEP)
    by_run: dict[str, dict[float, dict[str, float]]] = {}
    for row in _rows(source, *found):
        at, value = number(row[step]), number(row[_first(names, _VALUE)])
        if at is not None and value is not None:
            run = row.get(_first(names, _RUN), "")
            by_run.setdefault(run, {}).setdefault(at, {})[row[_first(names, _METRIC)]] = value
    runs: list[Run] = []
    for name, points in by_run.items():
        collector = Collector()
        for at in sorted(points):
            collector.add({step: at, **points[at]})
        runs += runs_from_rows(
            collector.table(), f"{source.name} ({name})" if len(by_run) > 1 else source.name, KIND, options
        )
    return runs


def _header(source: Source) -> tuple[str, list[str]] | None:
    """Return the separator and the lower-case column names, if there is a metric, a step and a value among them."""
    first = next((line for line in source.text_head.splitlines() if line.strip()), "") if source.is_text else ""
    for separator in _SEPARATORS:
        names = [name.strip().lower() for name in next(csv.reader([first], delimiter=separator), [])]
        if _first(names, _METRIC) and _first(names, _VALUE) and _first(names, _STEP):
            return separator, names
    return None


def _first(names: list[str], wanted: tuple[str, ...]) -> str:
    return next((name for name in wanted if name in names), "")


def _rows(source: Source, separator: str, names: list[str]) -> Iterator[dict[str, str]]:
    rows = csv.reader(source.lines(), delimiter=separator)
    next(rows, None)
    try:
        for cells in rows:
            if len(cells) == len(names):
                yield dict(zip(names, (cell.strip() for cell in cells), strict=True))
    except csv.Error as error:
        raise ReaderError(f"{source.name} is not a readable table ({error})") from None
