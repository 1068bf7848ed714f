"""A name of any length leaves the record readable, and names that differ stay different."""

from __future__ import annotations

from pathlib import Path

import pytest

from traindx.record import load
from traindx.record.vocabulary import LONGEST_NAME
from traindx.record.writer import RecordWriter


@pytest.mark.parametrize("length", [LONGEST_NAME - 10, LONGEST_NAME + 1, 100_000])
@pytest.mark.parametrize("character", ["x", "ü", "\ud800", "\u202e", "\x1b"])
def test_long_names(tmp_path: Path, length: int, character: str) -> None:
    writer = RecordWriter(tmp_path / "run.tdx")
    names = [f"{character * length}.{ending}" for ending in ("weight", "bias")]
    for step in range(5):
        for name in names:
            writer.point(f"raw/{name}", step, float(step))
        writer.layers("grad_norm", step, names, [1.0, 2.0])
    writer.close()
    run = load(tmp_path / "run.tdx")
    assert len(run.series_names) == 2 and all(len(run.series(name)) == 5 for name in run.series_names)
    table = run.layers("grad_norm")
    assert len(set(table.layers)) == 2 and table.values.shape == (5, 2)
