"""What the tests of log styles share: a loss by step, and the runs read from a text."""

from __future__ import annotations

import math
from pathlib import Path

from traindx.readers import read
from traindx.record import Run


def loss(step: float) -> float:
    return round(2.5 * math.exp(-step / 30) + 0.3, 4)


def runs_in(tmp_path: Path, text: str) -> list[Run]:
    path = tmp_path / "some.log"
    path.write_text(text)
    return read(path)


def only(tmp_path: Path, text: str) -> Run:
    [run] = runs_in(tmp_path, text)
    return run


def points(run: Run, name: str) -> list[tuple[int, float]]:
    series = run.series(name)
    return list(zip(series.steps.tolist(), series.values.tolist(), strict=True))
