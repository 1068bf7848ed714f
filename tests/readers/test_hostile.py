"""Input that is no log, or a log and an attack: a clear line, never a crash, never much memory."""

# ruff: noqa: E501 - log lines and lists of names are as long as they are

from __future__ import annotations

import gzip
import io
import random
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from _write import event_file, scalar_event
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from traindx.readers import ReaderError, principal, read

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LOG_WORDS = ["loss", "nan", "inf", "step", "epoch", ":", "=", "|", ",", "[", "]", "{", "}", "'", "1", "0.5", "1e-3", "/", "-", "\n", "\t", " ", "val", "%", "\r"]  # fmt: skip


def refused(path: Path) -> str:
    with pytest.raises(ReaderError) as caught:
        read(path)
    message = str(caught.value)
    assert "\n" not in message
    return message


def survives(path: Path) -> None:
    """Read or refused with one line; every series that comes out is well formed."""
    try:
        runs = read(path)
    except ReaderError as error:
        assert "\n" not in str(error)
        return
    for run in runs:
        for name in run.series_names:
            series = run.series(name)
            assert len(series.steps) == len(series.values) > 0
            assert np.all(np.diff(series.steps) >= 0)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (bytes(10_000), "binary data"),
        (random.Random(0).randbytes(50_000), "binary data"),
        (b"PK\x03\x04" + bytes(100), "zip archive: unpack it"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b'{"a": [1, 2', "not valid JSON"),
        (b'{"a": {"b": "c"}}', "without a training history"),
        (b"The quick brown fox jumps.\n" * 50, "no training values"),
        (b"\x1f\x8b" + bytes(50), "damaged"),
    ],
)
def test_refusals_say_why(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(content)
    assert says in refused(path)


def test_places_that_are_not_there(tmp_path: Path) -> None:
    assert "does not exist" in refused(tmp_path / "nowhere")
    assert "holds no log" in refused(tmp_path)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from traindx.readers import source as _source

    monkeypatch.setattr(_source, "BOMB_SIZE", 1 << 22)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(bytes(b"0" * (1 << 24))))
    assert "times its size" in refused(path)


def test_a_gzipped_log_is_read_also_when_cut(tmp_path: Path) -> None:
    noise = random.Random(0)
    packed = gzip.compress("".join(f"step {s} loss {noise.random()}\n" for s in range(20_000)).encode())
    path = tmp_path / "x.log.gz"
    path.write_bytes(packed)
    [run] = read(path)
    assert len(run.series("loss/train")) == 20_000
    path.write_bytes(packed[: len(packed) // 2])
    [run] = read(path)
    assert 5_000 < len(run.series("loss/train")) < 15_000


def test_one_endless_line_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    with path.open("wb") as file:
        file.write(b"step 1 loss 2.5\n")
        for _ in range(60):
            file.write(b"loss 1.5 " * (1 << 17))
        file.write(b"\nstep 2 loss 2.25\n")
    tracemalloc.start()
    [run] = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert run.series("loss/train").values.tolist() == [2.5, 2.25]
    assert run.facts["log"]["skipped"] >= 1
    assert peak < path.stat().st_size / 2


def test_damage_in_an_event_file_costs_only_what_follows(tmp_path: Path) -> None:
    path = event_file(tmp_path / "events.out.tfevents.1.h", [scalar_event(s, s, loss=1.0) for s in range(1000)])
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    path.write_bytes(bytes(content))
    [run] = read(path)
    # Records with short steps are smaller, so that somewhat more than half of them lie in the first half.
    assert 400 < len(run.series("loss/train")) < 600


def test_steps_beyond_all_bounds_are_no_steps(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("step,loss\n1e300,1\n2,3\n3,1e999\n")
    [run] = read(path)
    assert run.facts["log"]["step_unit"] == "row"
    assert run.series("loss/train").steps.tolist() == [0, 1, 2]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"step,loss\n1,2.5\n2,2.25\n")))
    [run] = read("-")
    assert run.source == "standard input"
    assert run.series("loss/train").values.tolist() == [2.5, 2.25]


def test_a_folder_of_logs_gives_the_runs_in_it(tmp_path: Path) -> None:
    for number, length in ((0, 5), (1, 9)):
        (tmp_path / f"version_{number}").mkdir()
        text = "step,train_loss\n" + "".join(f"{s},{number}\n" for s in range(length))
        (tmp_path / f"version_{number}" / "metrics.csv").write_text(text)
        (tmp_path / f"version_{number}" / "hparams.yaml").write_text("lr: 0.1\n")
    (tmp_path / "model.bin").write_bytes(bytes(5000))
    runs = read(tmp_path)
    assert [len(run.series("loss/train")) for run in runs] == [5, 9]
    assert principal(runs) is runs[1]


def test_reading_never_imports_torch() -> None:
    import subprocess

    code = (
        "import sys, traindx.readers as r, traindx.readers.folders as x; x.all_readers(); "
        "sys.exit('torch' in sys.modules or 'polars' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@FUZZ
@given(content=st.binary(max_size=2000))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    survives(path)


@FUZZ
@given(words=st.lists(st.sampled_from(LOG_WORDS), max_size=120))
def test_any_heap_of_log_words(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "x"
    path.write_text("".join(words))
    survives(path)


@FUZZ
@given(
    start=st.sampled_from(
        [b"SQLite format 3\0", b":W&B\xe1\xbe\x00", b'{"log_history": [', b'[{"loss": ', b"step,loss\n", b"\x1f\x8b"]
    ),
    rest=st.binary(max_size=500) | st.text(max_size=300).map(str.encode),
)
def test_any_bytes_after_a_known_beginning(tmp_path: Path, start: bytes, rest: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(start + rest)
    survives(path)


@FUZZ
@given(cut=st.integers(0, 3000), where=st.integers(0, 2999), byte=st.integers(0, 255))
def test_any_cut_and_any_wrong_byte_in_an_event_file(tmp_path: Path, cut: int, where: int, byte: int) -> None:
    path = event_file(tmp_path / "events.out.tfevents.1.h", [scalar_event(s, s, loss=1.0, lr=0.1) for s in range(50)])
    content = bytearray(path.read_bytes())
    content[where % len(content)] = byte
    path.write_bytes(bytes(content[:cut] if cut else content))
    survives(path)


cells = st.one_of(
    st.floats().map(str), st.integers(-(10**30), 10**30).map(str), st.sampled_from(["", "NA", "nan", "x"])
)


@FUZZ
@given(rows=st.lists(st.tuples(cells, cells, cells), max_size=30))
def test_any_cells(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    path = tmp_path / "x.csv"
    path.write_text("step,loss,val_loss\n" + "".join(",".join(row) + "\n" for row in rows))
    survives(path)


def test_a_line_without_end_is_passed_over_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from traindx.readers import source as _source

    monkeypatch.setattr(_source, "LONGEST_LINE", 1 << 12)
    monkeypatch.setattr(_source, "BLOCK", 1 << 12)
    path = tmp_path / "x.log"
    path.write_bytes(b"loss " + b"1.25 " * 10_000)
    assert "skipped: 1" in refused(path)
    path.write_bytes(b"loss " + b"1.25 " * 10_000 + b"\niter 1: loss 2.5\niter 2: loss 2.25\n")
    assert read(path)[0].series("loss/train").values.tolist() == [2.5, 2.25]


def test_a_document_too_large_for_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from traindx.readers.formats import json_document

    monkeypatch.setattr(json_document, "LARGEST", 1 << 12)
    path = tmp_path / "x.json"
    path.write_text('{"history": {"loss": [' + ", ".join(["1.5"] * 5000) + "]}}")
    assert "too large for a JSON document" in refused(path)
