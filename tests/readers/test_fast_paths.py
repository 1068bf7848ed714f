"""Large tables are read by a schema taken from their beginning; what comes out is what cell by cell gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traindx.readers import ReaderError, read
from traindx.readers.formats import _frames, delimited, json_lines

FUZZ = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NUMBERS = st.one_of(
    st.integers(-5, 10**6).map(str), st.floats(-1e6, 1e6).map(repr), st.sampled_from(["1e-3", "5.", ".5", "+3", "-0.0"])
)
ODD_CELLS = st.sampled_from(
    ["", "nan", "NaN", "inf", "-inf", "Infinity", "text", " 4 ", '"5"', "True", "None", "NA", "0x1", "1,5", '"', "12%",
     "2024-01-01", "10:00:01", "1_000", "1e400", "9" * 20, "*2*", "½", "1e", "-", ".", "1.2.3", "infant"]
)  # fmt: skip
VALUES = st.one_of(st.integers(-5, 10**6), st.floats(allow_nan=False, allow_infinity=False))
ODD_VALUES = st.sampled_from(["0.5", "nan", "text", None, True, {"a": 1}, [1], float("nan"), 'a":', "null"])
MANY = 1 << 30
SAMPLED = {delimited: delimited, json_lines: _frames}


def series_of(path: Path) -> dict[str, tuple[list[int], list[str]]] | None:
    try:
        runs = read(path)
    except ReaderError:
        return None
    return {
        f"{number}/{name}": (run.series(name).steps.tolist(), list(map(repr, run.series(name).values.tolist())))
        for number, run in enumerate(runs)
        for name in run.series_names
    }


def every_way(monkeypatch: pytest.MonkeyPatch, module: Any, path: Path) -> list[Any]:
    """What is read without polars, by the schema of the first bytes, and with every cell looked at."""
    found = []
    for small, sample in ((MANY, 16), (-1, 16), (-1, MANY)):
        with monkeypatch.context() as patched:
            patched.setattr(module, "SMALL", small)
            patched.setattr(SAMPLED[module], "SAMPLE", sample)
            found.append(series_of(path))
    return found


@st.composite
def tables(draw: Callable[..., Any]) -> str:
    """Numbers, mostly; now and then a cell of another kind, or a row that is too short or too long."""
    rows = draw(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=4, max_size=30))
    for _ in range(draw(st.integers(0, 3))):
        rows[draw(st.integers(0, len(rows) - 1))][draw(st.integers(0, 2))] = draw(ODD_CELLS)
    if draw(st.booleans()):
        rows[draw(st.integers(0, len(rows) - 1))] = ["1", "2", "3", "4"][: draw(st.integers(1, 4))]
    return "\n".join(["step,loss,lr", *(",".join(row) for row in rows)]) + "\n"


@FUZZ
@given(text=tables())
def test_a_table_by_schema_is_the_table_cell_by_cell(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    small, by_schema, cell_by_cell = every_way(monkeypatch, delimited, path)
    assert small == by_schema == cell_by_cell


@st.composite
def objects(draw: Callable[..., Any]) -> str:
    """Objects of numbers under the same keys, mostly; now and then a key more or less, or another kind of value."""
    rows = [{"step": i, "loss": draw(VALUES), "lr": draw(VALUES)} for i in range(draw(st.integers(3, 25)))]
    for _ in range(draw(st.integers(0, 3))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        key = draw(st.sampled_from(["loss", "lr", "eval_loss", "mode"]))
        if draw(st.booleans()):
            row[key] = draw(st.one_of(VALUES, ODD_VALUES))
        else:
            row.pop(key, None)
    return "".join(json.dumps(row) + "\n" for row in rows)


@FUZZ
@given(text=objects())
def test_objects_by_schema_are_the_objects_one_by_one(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(text)
    small, by_schema, one_by_one = every_way(monkeypatch, json_lines, path)
    assert small == by_schema == one_by_one


@pytest.mark.parametrize(("module", "name"), [(delimited, "x.csv"), (json_lines, "x.jsonl")])
def test_a_plain_log_takes_the_fast_path(
    module: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the equalities above would compare one path with itself."""
    import polars as pl

    schemas = []
    for reader in ("read_csv", "read_ndjson"):
        real = getattr(pl, reader)

        def spy(*arguments: Any, _real: Any = real, **options: Any) -> Any:
            schemas.append(options.get("schema"))
            return _real(*arguments, **options)

        monkeypatch.setattr(pl, reader, spy)
    monkeypatch.setattr(SAMPLED[module], "SAMPLE", 16)
    monkeypatch.setattr(module, "SMALL", -1)
    rows = [{"step": s, "loss": 5 - s / 50} for s in range(99)]
    table = "step,loss\n" + "\n".join(f"{row['step']},{row['loss']}" for row in rows)
    path = tmp_path / name
    path.write_text(table if name.endswith("csv") else "".join(json.dumps(row) + "\n" for row in rows))
    [run] = read(path)
    assert np.array_equal(run.series("loss/train").values, [row["loss"] for row in rows])
    assert any(schema is not None for schema in schemas)


def test_lines_with_keys_of_their_own_do_not_become_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a table has a cell for each key in each line, and fills the memory."""
    import polars as pl

    tables = []
    real = pl.read_ndjson

    def spy(*arguments: Any, **options: Any) -> Any:
        frame = real(*arguments, **options)
        tables.append(frame.width * frame.height)
        return frame

    monkeypatch.setattr(pl, "read_ndjson", spy)
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"step": s, "loss": 1 / (s + 1), f"key {s}": s}) + "\n" for s in range(20_000)))
    [run] = read(path)
    assert len(run.series("loss/train")) == 20_000 and len(run.series_names) < 1000
    assert all(cells <= _frames.MOST_CELLS for cells in tables)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_not_finite_take_the_fast_path(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_lines, "_add_line_by_line", lambda *_: pytest.fail("line by line"))
    monkeypatch.setattr(json_lines, "SMALL", -1)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f'{{"step": {s}, "loss": {word if s > 50 else 2.5}}}\n' for s in range(99)))
    [run] = read(path)
    expected = [2.5] * 51 + [float(word.replace("Infinity", "inf"))] * 48
    assert np.array_equal(run.series("loss/train").values, expected, equal_nan=True)
