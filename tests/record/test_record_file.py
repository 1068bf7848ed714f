"""The record file: written beside a training, read while it grows, and never the reason that a training fails."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx.record import RecordError, load
from traindx.record import schema as record_schema
from traindx.record.writer import KEEP_AROUND_EVENT, LAG_SECONDS, LIMIT, DeepSampleLedger, RecordWriter

SOURCE = str(Path(traindx.__file__).parents[1])


def write(path, steps=10):
    writer = RecordWriter(path)
    writer.fact("steps", steps)
    writer.points("loss/train", range(steps), [1.0 / (n + 1) for n in range(steps)])
    writer.layers("grad_norm", 3, ["a", "b"], [0.5, float("nan")])
    writer.event("loss-jump", 4, to=2.0)
    writer.close()
    return path


def child(source: str, *args: str) -> subprocess.Popen[str]:
    """A process that writes a record, and prints as it goes."""
    return subprocess.Popen(
        [sys.executable, "-u", "-c", textwrap.dedent(source), *args],
        env=os.environ | {"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        text=True,
    )


ENDLESS = """
    import sys, time
    from pathlib import Path
    from traindx.record.writer import LAG_SECONDS, RecordWriter

    writer = RecordWriter(Path(sys.argv[1]))
    step = 0
    while True:
        writer.point("loss/train", step, float(step))
        writer.point("said", step, time.time())
        writer.flush_if_due()
        print(step, time.time())
        step += 1
        time.sleep(0.005)
"""


# ── what was written comes back ──────────────────────────────────────────────────────────────────


def test_round_trip(tmp_path):
    run = load(write(tmp_path / "run.tdx"))
    assert run.facts["steps"] == run.steps == 10
    assert run.series("loss/train").values.tolist() == [1.0 / (n + 1) for n in range(10)]
    table = run.layers("grad_norm")
    assert table.layers == ("a", "b") and table.column("a").tolist() == [0.5] and np.isnan(table.column("b")[0])
    assert [(event.kind, event.step, event.data) for event in run.events] == [("loss-jump", 4, {"to": 2.0})]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.tdx"]  # no companions stay


def test_chunks_join_and_layer_sets_merge(tmp_path):
    writer = RecordWriter(tmp_path / "run.tdx")
    for start in range(0, 5000, 700):  # across flushes and across chunk borders
        writer.points("x", range(start, start + 700), [float(n) for n in range(start, start + 700)])
        writer.flush()
    writer.layers("grad_norm", 1, ["a"], [1.0])
    writer.layers("grad_norm", 2, ["a", "b"], [2.0, 3.0])
    writer.close()
    run = load(tmp_path / "run.tdx")
    assert run.series("x").steps.tolist() == run.series("x").values.tolist() == list(range(5600))
    assert run.layers("grad_norm").column("b").tolist()[1] == 3.0


def test_to_pandas(tmp_path):
    pytest.importorskip("pandas")
    writer = RecordWriter(tmp_path / "run.tdx")
    writer.points("loss/train", [0, 0, 1], [3.0, 2.0, 1.0])
    writer.points("lr", [1], [0.1])
    writer.close()
    frame = load(tmp_path / "run.tdx").to_pandas()
    assert frame.index.tolist() == [0, 1] and frame["loss/train"].tolist() == [2.0, 1.0]
    assert np.isnan(frame["lr"][0]) and frame["lr"][1] == 0.1


# ── accidents ────────────────────────────────────────────────────────────────────────────────────


def test_kill_loses_at_most_the_promised_lag_and_reading_goes_on_beside_the_writer(tmp_path):
    path = tmp_path / "run.tdx"
    process = child(ENDLESS, str(path))
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(300)]  # at least a second and a half
    while_running = load(path).series("loss/train")
    assert len(while_running) > 0 and while_running.steps.tolist() == list(range(len(while_running)))
    process.kill()
    lines += process.communicate()[0].splitlines(keepends=True)
    last = float(lines[-1].split()[1])
    kept = load(path).series("said").values
    # The process may not have been given the processor for a while: its own clock says what it had written when.
    assert last - kept[-1] < LAG_SECONDS + max(
        np.diff([float(line.split()[1]) for line in lines if len(line.split()) == 2])
    )
    assert len(kept) > 100


def test_full_disk_ends_the_recording_and_not_the_program(tmp_path, capsys):
    path = tmp_path / "run.tdx"
    writer = RecordWriter(path)
    writer.points("loss/train", range(100), [1.0] * 100)
    writer.flush()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        for start in range(100, 100_000, 10_000):
            writer.points("loss/train", range(start, start + 10_000), [2.0] * 10_000)
            writer.flush()
        writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    said = capsys.readouterr().err
    assert writer.lost is not None
    assert said.count("\n") == 1 and said.startswith(f"traindx: cannot write {path}") and "training continues" in said
    assert load(path).series("loss/train").values[:100].tolist() == [1.0] * 100


@pytest.mark.parametrize("where", ["file/run.tdx", "/proc/nowhere/run.tdx"])
def test_place_that_cannot_be_written_is_one_clear_line(tmp_path, where):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordError, match="cannot write") as caught:
        RecordWriter(tmp_path / where)
    assert "\n" not in str(caught.value)


def foreign(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()


def from_the_future(path):
    write(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={record_schema.VERSION + 1}")
    db.close()


def truncated(path):
    write(path, 20_000)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 3])


def scribbled_over(path):
    write(path, 20_000)
    content = bytearray(path.read_bytes())
    for start in range(4096, len(content), 512):
        content[start : start + 256] = b"\xa5" * 256
    path.write_bytes(bytes(content))


def bad_json(path):
    write(path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE facts SET value = '{'")
    db.close()


DAMAGES = {
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "text": (lambda path: path.write_text("step,loss\n0,1.0\n" * 100), "not a traindx record"),
    "another program's database": (foreign, "another program's database"),
    "newer version": (from_the_future, "newer traindx"),
    "truncated": (truncated, "damaged or cut off"),
    "scribbled over": (scribbled_over, "damaged"),
    "unreadable JSON": (bad_json, "damaged"),
    "folder": (lambda path: path.mkdir(), "folder"),
    "missing": (lambda path: None, "does not exist"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_one_clear_line(tmp_path, name):
    damage, said = DAMAGES[name]
    path = tmp_path / "run.tdx"
    damage(path)
    with pytest.raises(RecordError, match=said) as caught:
        run = load(path)
        _ = run.facts, run.events
        for series in run.series_names:
            run.series(series)
        for quantity in run.quantities:
            run.layers(quantity)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_forked_child_leaves_the_file_alone(tmp_path):
    writer = RecordWriter(tmp_path / "run.tdx")
    os.register_at_fork(after_in_child=writer.abandon)
    pid = os.fork()
    if pid == 0:
        writer.point("loss/train", 0, 1.0)
        writer.flush()
        writer.close()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    writer.point("loss/train", 1, 2.0)
    writer.close()
    assert load(tmp_path / "run.tdx").series("loss/train").steps.tolist() == [1]


def test_a_reader_does_not_hold_up_the_end(tmp_path):
    path = tmp_path / "run.tdx"
    writer = RecordWriter(path)
    writer.points("loss/train", range(10), [1.0] * 10)
    writer.flush()
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM points").fetchone() == (1,)
    writer.point("loss/train", 10, 1.0)
    writer.close()
    assert len(load(path).series("loss/train")) == 11
    reader.close()


# ── long runs ────────────────────────────────────────────────────────────────────────────────────


def test_long_run_of_a_large_model_stays_small(tmp_path):
    """A hundred layers, a hundred thousand steps, looked at more often than the schedule ever does."""
    path = tmp_path / "run.tdx"
    writer = RecordWriter(path)
    layers = [f"layers.{n}.weight" for n in range(100)]
    quantities = ("grad_norm", "grad_rms", "grad_zero", "weight_norm", "weight_rms", "update_norm", "update_ratio")
    values = [1.0] * len(layers)
    for start in range(0, 100_000, 2500):
        for name in ("loss/train", "lr", "clip/norm", "clip/threshold", "time/total"):
            writer.points(name, range(start, start + 2500), [0.5] * 2500)
        for step in range(start, start + 2500, 10):
            for quantity in quantities:
                writer.layers(quantity, step, layers, values)
        writer.flush()
    writer.close()
    assert path.stat().st_size < 200e6
    run = load(path)
    assert len(run.series("loss/train")) == 100_000
    assert len(run.layers("grad_norm")) <= LIMIT + 250  # thinned at each flush


def test_thinning_keeps_the_start_the_end_and_what_surrounds_events():
    ledger = DeepSampleLedger()
    events = [3_000, 40_000, 99_000]
    for step in range(0, 100_000, 10):
        ledger.sampled(step)
        if step in events:
            ledger.event(step)
        gone = set(ledger.surplus())
        for event in (e for e in events if e <= step):
            assert not gone & set(range(event - 10 * KEEP_AROUND_EVENT, event + 1))
    kept = ledger._steps
    assert len(kept) <= LIMIT + 1
    assert kept[:10] == list(range(0, 100, 10)) and kept[-10:] == list(range(99_900, 100_000, 10))
    for event in events:
        near = [step for step in kept if abs(step - event) <= 10 * KEEP_AROUND_EVENT]
        assert near == list(range(event - 10 * KEEP_AROUND_EVENT, event + 10 * KEEP_AROUND_EVENT + 1, 10))


def test_points_come_while_the_writer_flushes(tmp_path):
    """Nothing is lost or doubled."""
    writer = RecordWriter(tmp_path / "run.tdx")
    until = time.monotonic() + 0.3
    step = 0
    while time.monotonic() < until:
        writer.point("loss/train", step, float(step))
        step += 1
        if step % 50 == 0:
            writer.flush()
    writer.close()
    series = load(tmp_path / "run.tdx").series("loss/train")
    assert series.steps.tolist() == series.values.tolist() == list(range(step))
