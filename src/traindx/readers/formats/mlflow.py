"""MLflow's file store: the `metrics/` folder of a run holds one text file per metric, with lines `time value step`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...record import Run
from ..errors import ReaderError
from ..files import matching_files
from ..meaning.assembly import LogFacts, assemble
from ..meaning.named_series import NamedSeries
from ..options import Options
from ..rows.collector import number
from ..rows.runs import tidy
from ..source import Source

KIND = "mlflow"
MOST_RUNS = 500
MOST_PARAMS, LONGEST_PARAM = 1000, 8192


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.92 if _run_folders(source.path) else 0.0
    return 0.6 if _is_metric(source) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    if not source.is_dir:
        return [_run({source.path.name: source}, source.name, options)]
    runs = []
    for folder in _run_folders(source.path):
        metrics = folder / "metrics"
        files = {p.relative_to(metrics).as_posix(): Source(p) for p in matching_files(metrics, "**/*")}
        name = source.name if folder == source.path else str(folder)
        metrics_of_run = {tag: file for tag, file in files.items() if _is_metric(file)}
        runs.append(_run(metrics_of_run, name, options, _params(folder / "params")))
    return runs


def _params(folder: Path) -> dict[str, Any]:
    """Return the parameters of a run. Each is a small file, named like the parameter, that holds the value."""
    found: dict[str, Any] = {}
    for path in matching_files(folder, "**/*")[:MOST_PARAMS]:
        try:
            if path.stat().st_size > LONGEST_PARAM:
                continue
            text = path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        value = number(text)
        found[path.relative_to(folder).as_posix()] = text if value is None else value
    return found


def _run_folders(folder: Path) -> list[Path]:
    """Return the run folders: this folder, or the runs of an experiment, or all runs of an `mlruns` folder."""
    for pattern in (".", "*", "*/*", "mlruns/*/*"):
        places = [folder] if pattern == "." else _glob(folder, pattern)
        if found := [place for place in places if is_run(place)]:
            return found[:MOST_RUNS]
    return []


def is_run(folder: Path) -> bool:
    """Return whether this folder is one run, with its metrics in the folder `metrics`."""
    return any(_is_metric(Source(path)) for path in matching_files(folder / "metrics", "**/*"))


def _glob(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _is_metric(source: Source) -> bool:
    """Return whether the lines hold a time in milliseconds, a value and (since MLflow 1.0) a step."""
    try:
        lines = source.text_head.splitlines()[:5]
    except ReaderError:
        return False
    cells = [line.split() for line in lines if line.strip()]
    return bool(cells) and all(
        len(row) in (2, 3) and row[0].isdigit() and len(row[0]) >= 10 and number(row[1]) is not None
        for row in cells[:4]
    )


def _run(files: dict[str, Source], name: str, options: Options, config: dict[str, Any] | None = None) -> Run:
    curves = {}
    for tag, file in files.items():
        steps, values = [], []
        for order, line in enumerate(file.lines()):
            cells = line.split()
            if len(cells) in (2, 3) and (value := number(cells[1])) is not None:
                step = number(cells[2]) if len(cells) == 3 else None
                steps.append(int(step) if step is not None and abs(step) < 2**53 else order)
                values.append(value)
        if len(set(steps)) == 1 and len(steps) > 1:
            steps = list(range(len(steps)))  # MLflow writes zeros for values logged without a step
        curves[tag] = tidy(NamedSeries(tag, np.array(steps, np.int64), np.array(values)))
    return assemble(curves, name, KIND, options, LogFacts(columns={"step": "step"}, config=config or {}))
