"""Records that are damaged or made to harm: one clear line, or a diagnosis; never a traceback, never a wait."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # mutations are shared with the long hunt

from benchmarks.safety.mutations import BOMBS, FAMILIES, SCHEMA
from benchmarks.safety.records import broken, make_record

from traindx.record import RecordError, load, reading
from traindx.record.reading import MOST_CELLS

EACH = 84  # mutants of each family; `python -m benchmarks.safety.records` tries thousands
GIGABYTE = 1 << 30


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_record(tmp_path_factory.mktemp("base"))


def changed(base: Path, path: Path, *statements: str) -> Path:
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)
    return path


@pytest.mark.parametrize("family", FAMILIES)
def test_mutants_are_read_or_refused(base, tmp_path, family):
    failed = [reason for seed in range(1, EACH + 1) if (reason := broken(family, seed, base, tmp_path))]
    assert failed == []


@pytest.mark.parametrize("table", BOMBS)
def test_endless_views_cost_nothing(base, tmp_path, table):
    path = changed(base, tmp_path / "bomb.tdx", f"DROP TABLE {table}", f"CREATE VIEW {table} AS {BOMBS[table][1]}")
    script = "import sys, traindx\ntry:\n    traindx.load(sys.argv[1])\nexcept traindx.RecordError as e:\n    print(e)"

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True, text=True, preexec_fn=little_memory, env={"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1 and f"view '{table}'" in done.stdout


@pytest.mark.parametrize("statement", SCHEMA)
def test_only_the_schema_of_a_record_is_read(base, tmp_path, statement):
    path = changed(base, tmp_path / "odd.tdx", statement)
    with pytest.raises(RecordError, match="damaged"):
        load(path)


def test_generated_values_hide_in_no_column(base, tmp_path):
    """A table whose text is changed behind SQLite's back: its columns are computed and cost what they like."""
    path = tmp_path / "odd.tdx"
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        sql = "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT AS (zeroblob(1000000000))) WITHOUT ROWID"
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'facts'", (sql,))
    with pytest.raises(RecordError, match="damaged"):
        load(path)


@pytest.mark.parametrize(
    "value",
    ["[" * 100_000, '"' + "a" * (40 << 20) + '"', "{", "\x00", "9" * 5000],
    ids=["deep", "long", "cut", "nul", "digits"],
)
def test_hostile_json_is_refused_or_harmless(base, tmp_path, value):
    path = tmp_path / "odd.tdx"
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE facts SET value = ? WHERE key = 'models'", (value,))
    try:
        assert "models" not in load(path).facts  # a number where a list belongs
    except RecordError as error:
        assert "damaged" in str(error) and "\n" not in str(error)


def test_facts_of_another_kind_are_left_out(base, tmp_path):
    path = tmp_path / "odd.tdx"
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path)) as db, db:
        keys = [key for (key,) in db.execute("SELECT key FROM facts")]
        db.execute("UPDATE facts SET value = ?", (json.dumps(10**30),))
    run = load(path)
    assert set(run.facts) <= {"started", "ended", "heartbeat"} < set(keys)
    assert run.steps == len(run.series("loss/train"))


def test_table_of_many_layer_sets_is_thinned(base, tmp_path):
    """Every row names its own layer at its own step: as a table that is the square of what the file holds."""
    path = tmp_path / "wide.tdx"
    shutil.copyfile(base, path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM layers")
        for number in range(1000, 9000):
            db.execute("INSERT INTO layer_sets VALUES (?, ?)", (number, json.dumps([f"layer {number}"])))
            db.execute("INSERT INTO layers VALUES ('grad_norm', ?, ?, zeroblob(4))", (number, number))
    table = load(path).layers("grad_norm")
    assert MOST_CELLS / 8 < table.values.size <= MOST_CELLS and table.steps[0] == 1000


def test_pages_that_are_read_again_and_again_end(base, monkeypatch):
    """A tree of pages may point to one page many times: what is read cannot exceed the file."""
    monkeypatch.setattr(reading, "_size", lambda path: 2000)
    with pytest.raises(RecordError, match="again and again"):
        load(base)


def test_queries_that_take_too_long_end(base, monkeypatch):
    monkeypatch.setattr(reading, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(reading, "INSTRUCTIONS", 1)
    with pytest.raises(RecordError, match="takes more than"):
        load(base)


def test_huge_files_are_not_opened(tmp_path):
    path = tmp_path / "huge.tdx"
    with path.open("wb") as file:
        file.truncate(reading.LARGEST_FILE + 1)  # sparse: no disk is used
    with pytest.raises(RecordError, match="GiB"):
        load(path)


def test_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.tdx")
    with pytest.raises(RecordError, match="not a regular file"):
        load(tmp_path / "run.tdx")


def test_records_are_private(base, tmp_path):
    from traindx.record.reading import save

    save(load(base), tmp_path / "copy.tdx")
    assert (tmp_path / "copy.tdx").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("verb", ["diagnose", "compare", "plot"])
def test_one_bad_record_does_not_hide_the_others(base, tmp_path, verb, capsys):
    from traindx.__main__ import main

    good, bad = tmp_path / "good.tdx", tmp_path / "bad.tdx"
    shutil.copyfile(base, good)
    bad.write_bytes(base.read_bytes()[:9000])
    output = ["-o", str(tmp_path / "page.html")]
    assert main([verb, str(bad), str(good), *output]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith(f"traindx {verb}: {bad}")
    assert (tmp_path / "page.html").stat().st_size > 500
