"""`traindx facts`: the lab report of a log or a record, and a folder of good runs as its reference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from traindx.record import RunBuilder
from traindx.record.reading import save
from traindx.reports.json import SCHEMA_FILE


def write_log(path: Path, seed: int, *, rise: float = 0.0) -> Path:
    """A log of a training that goes well, or whose validation loss rises."""
    rng = np.random.default_rng(seed)
    lines = ["step,loss,val_loss"]
    for step in range(80):
        loss, noise = 2.0 * 0.95**step + 0.2, 1 + 0.01 * rng.standard_normal(2)
        lines.append(f"{step},{loss * noise[0]:.5f},{(loss * 1.05 + rise * step) * noise[1]:.5f}")
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_log(tmp_path / "run.csv", 0)


def test_the_report_has_ranges_and_fits(log: Path, traindx_: Any) -> None:
    told = traindx_("facts", log)
    lines = told.out.splitlines()
    assert (told.code, told.err) == (0, "")
    assert lines[0].startswith("FACTS")
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    assert any(line.split()[:2] == ["Non-finite", "losses"] for line in lines)
    assert "healthy 5-95 %" in told.out


def test_no_verdict_and_no_cause(log: Path, traindx_: Any) -> None:
    from traindx.causes import all_causes

    told = traindx_("facts", write_log(log.parent / "bad.csv", 1, rise=0.05))
    assert not any(word in told.out for word in ("SICK", "HEALTHY", "CAUSE", "FIX"))
    assert not any(cause.title in told.out or cause.id in told.out.split() for cause in all_causes().values())


def test_all_shows_every_fact_of_the_json(log: Path, traindx_: Any) -> None:
    facts = json.loads(traindx_("facts", log, "--format", "json").out)["facts"]
    page = traindx_("facts", log, "--all").out
    assert "with --all" not in page
    measured = [fact for fact in facts if not fact["id"].startswith("wiring/")]
    assert f"{len(measured)} quantities measured" in page


def test_facts_have_the_shape_of_the_published_schema(log: Path, traindx_: Any) -> None:
    schema = json.loads(SCHEMA_FILE.read_text())["properties"]["facts"]
    alone = json.loads(traindx_("facts", log, "--format", "json").out)
    jsonschema.validate(alone["facts"], schema)
    known = set(schema["items"]["properties"])
    assert all(set(fact) <= known for fact in alone["facts"])
    assert alone["schema"] == "traindx.facts/1"
    assert alone["reference"]["made_by"].startswith("python -m")


def test_diagnose_holds_the_unusual_facts(log: Path, traindx_: Any) -> None:
    bad = write_log(log.parent / "bad.csv", 1, rise=0.05)
    found = json.loads(traindx_("diagnose", bad, "--format", "json").out)["facts"]
    assert any(fact["id"] == "validation-rising" and fact["flag"] in ("H", "HH") for fact in found)
    assert "UNUSUAL" in traindx_("diagnose", bad).out


def test_a_folder_of_good_runs_is_the_reference(log: Path, traindx_: Any) -> None:
    for seed in range(1, 9):
        write_log(Path("good") / f"{seed}.csv", seed)
    told = traindx_("facts", log, "--reference", "good", "--format", "json")
    assert (told.code, told.err) == (0, "")
    found = json.loads(told.out)
    assert found["reference"]["sources"] == {"your runs": {"runs": 8}}
    assert {fact["n"] for fact in found["facts"] if fact.get("n")} == {8}


def test_sick_and_unreadable_runs_are_left_out_of_the_reference(log: Path, traindx_: Any) -> None:
    for seed in range(1, 5):
        write_log(Path("good") / f"{seed}.csv", seed)
    write_log(Path("good") / "rising.csv", 9, rise=0.2)
    (Path("good") / "broken.tdx").write_bytes(b"no record")
    told = traindx_("facts", log, "--reference", "good", "--format", "json")
    assert told.code == 0
    assert "rising.csv" in told.err
    assert "broken.tdx" in told.err
    assert told.err.count("\n") == 2
    assert json.loads(told.out)["reference"]["sources"]["your runs"]["runs"] == 4


def test_an_empty_reference_is_said_and_the_rest_shown(log: Path, traindx_: Any) -> None:
    Path("none").mkdir()
    told = traindx_("facts", log, "--reference", "none")
    assert told.code == 0
    assert "at least 3 good runs" in " ".join(told.out.split())
    assert "quantities measured" in told.out


def test_a_record_without_layers_is_shown(tmp_path: Path, traindx_: Any) -> None:
    made = RunBuilder("bare", "observed").series("loss/train", range(50), 2 * 0.9 ** np.arange(50) + 0.1)
    save(made.fact("steps", 50).fact("exit", "ok").build(), tmp_path / "bare.tdx")
    told = traindx_("facts", tmp_path / "bare.tdx")
    assert (told.code, told.err) == (0, "")
    assert "quantities measured" in told.out


def test_a_log_of_two_columns_is_shown(tmp_path: Path, traindx_: Any) -> None:
    path = tmp_path / "two.csv"
    path.write_text("step,loss\n" + "".join(f"{i},{2 * 0.9**i + 0.1:.4f}\n" for i in range(40)))
    assert traindx_("facts", path).code == 0


@pytest.mark.parametrize(
    "words", [["absent.csv"], ["."], ["run.csv", "--reference", "run.csv"], ["run.csv", "-o", "."]]
)
def test_bad_input_is_one_line(log: Path, traindx_: Any, words: list[str]) -> None:
    told = traindx_("facts", *words)
    assert (told.code, told.err.count("\n")) == (2, 1)


def test_a_file_is_written_and_inputs_are_not(log: Path, traindx_: Any) -> None:
    assert traindx_("facts", log, "-o", "facts.json").code == 0
    assert json.loads(Path("facts.json").read_text())["facts"]
    before = log.read_bytes()
    assert traindx_("facts", log, "-o", log).code == 2
    assert log.read_bytes() == before


def test_explain_shows_the_range_of_a_sign_and_its_source(traindx_: Any) -> None:
    page = " ".join(traindx_("explain", "loss-plateau", "--format", "markdown").out.split())
    assert "## In healthy runs" in page
    assert "python -m benchmarks.reference" in page
    assert "zoo (" in page
