"""MLflow's file store: the `metrics/` folder of a run holds one text file per metric, with lines `time value step`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...record import Run
from ..folders import matching_files
from ..meaning.assembly import LogFacts, assemble
from ..meaning.names import NamedSeries
from ..options import Options, ReaderError
from ..rows.collector import number
from ..rows.runs import tidy
from ..source import Source

KIND = "mlflow"
MOST_PARAMS, LONGEST_PARAM = 1000, 8192


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.92 if is_run(source.path) else 0.0
    return 0.6 if _is_metric(source) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    if not source.is_dir:
        return [_run({source.path.name: source}, source.name, options)]
    metrics = source.path / "metrics"
    files = {path.relative_to(metrics).as_posix(): Source(path) for path in matching_files(metrics, "**/*")}
    files = {tag: file for tag, file in files.items() if _is_metric(file)}
    return [_run(files, source.name, options, _params(source.path / "params"))]


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


def is_run(folder: Path) -> bool:
    """Return whether this folder is one run, with its metrics in the folder `metrics`."""
    return any(_is_metric(Source(path)) for path in matching_files(folder / "metrics", "**/*"))


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
