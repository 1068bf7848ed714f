"""`traindx diagnose`: inputs, formats, what fails a build, and the baseline."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest


def test_text_is_the_default(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("sick"))
    assert told.code == 0
    assert told.out.startswith("SICK          This run is sick.\n")


def test_one_run_is_one_json_object(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("sick"), "--format", "json")
    assert json.loads(told.out)["verdict"] == "sick"


def test_several_runs_are_a_json_list_or_json_lines(traindx_: Any, logs: Any) -> None:
    found = logs("sick", "fine")
    told = traindx_("diagnose", "--format", "json", *found)
    assert [one["verdict"] for one in json.loads(told.out)] == ["sick", "healthy"]
    told = traindx_("diagnose", "--format", "jsonl", *found)
    assert [json.loads(line)["verdict"] for line in told.out.splitlines()] == ["sick", "healthy"]


def test_more_than_three_runs_are_one_table_worst_first(traindx_: Any, logs: Any) -> None:
    found = logs("fine", "odd", "sick", "fine", "doubtful")
    table = traindx_("diagnose", *found).out
    verdicts = [line.split()[0] for line in table.splitlines() if line.startswith(("SICK", "UNCLEAR", "HEALTHY"))]
    assert verdicts == ["SICK", "SICK", "UNCLEAR", "HEALTHY", "HEALTHY"]
    assert "NEXT" in table and "--details" in table and "FIX" not in table
    details = traindx_("diagnose", "--details", *found).out
    assert details.startswith(table.partition("\n\n")[0])
    assert details.count("(stand-in, 3 steps)") == len(found)
    assert "(stand-in, 3 steps)" not in table


@pytest.mark.parametrize(("name", "start"), [("r.md", "# Sick"), ("r.json", "{"), ("r.txt", "SICK"), ("r", "SICK")])
def test_the_output_file_chooses_the_format(name: str, start: str, traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("sick"), "-o", name)
    assert (told.code, told.out) == (0, "")
    assert Path(name).read_text(encoding="utf-8").startswith(start)


def test_a_format_asked_for_beats_the_suffix(traindx_: Any, logs: Any) -> None:
    traindx_("diagnose", *logs("sick"), "-o", "r.md", "--format", "json")
    assert json.loads(Path("r.md").read_text(encoding="utf-8"))


def test_an_output_that_cannot_be_written_is_one_line(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("sick"), "-o", "no/such/folder/r.md")
    assert told.code == 2
    assert told.err.count("\n") == 1
    assert "cannot be written" in told.err


def test_one_bad_input_does_not_hide_the_others(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", "absent.log", *logs("fine"))
    assert told.code == 2
    assert told.err == "traindx diagnose: absent.log does not exist\n"
    assert "This run is fine." in told.out


def test_a_question_beside_a_file_is_told_that_it_is_none(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("fine"), "why is it nan")
    assert told.code == 2
    [line] = told.err.splitlines()
    assert "'why is it nan'" in line and "traindx ask why is it nan" in line
    assert "This run is fine." in told.out


def test_without_input_and_records_it_says_what_to_do(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose")
    assert told.code == 2
    assert "traindx run train.py" in told.err
    assert told.err.count("\n") == 1


def test_without_input_the_newest_record_is_taken(traindx_: Any, logs: Any, tmp_path: Path) -> None:
    folder = tmp_path / "traindx-runs"
    folder.mkdir()
    for age, name in enumerate(["b-newest", "a", "c"]):
        (folder / f"{name}.tdx").write_text("fine")
        os.utime(folder / f"{name}.tdx", (1_000_000 - age, 1_000_000 - age))
    told = traindx_("diagnose", "--format", "json")
    assert json.loads(told.out)["run"]["source"] == str(Path("traindx-runs/b-newest.tdx"))


def test_each_run_of_a_log_gets_its_own_answer(traindx_: Any, logs: Any) -> None:
    [log] = logs("sick fine fine")
    told = traindx_("diagnose", log, "--format", "json")
    assert [one["verdict"] for one in json.loads(told.out)] == ["sick", "healthy", "healthy"]
    assert traindx_("diagnose", log).out.count("(stand-in, 3 steps)") == 3


def test_a_bad_map_is_one_line(traindx_: Any, logs: Any) -> None:
    told = traindx_("diagnose", *logs("fine"), "--map", "nonsense")
    assert told.code == 2
    assert told.err.count("\n") == 1
    assert "nonsense" in told.err


@pytest.mark.parametrize(
    ("word", "never", "critical", "warning"),
    [("sick", 0, 1, 1), ("doubtful", 0, 0, 1), ("odd", 0, 0, 1), ("fine", 0, 0, 0)],
)
def test_what_fails(word: str, never: int, critical: int, warning: int, traindx_: Any, logs: Any) -> None:
    [log] = logs(word)
    codes = [traindx_("diagnose", log, "--fail-on", on).code for on in ("never", "critical", "warning")]
    assert codes == [never, critical, warning]
    assert traindx_("diagnose", log).code == 0


def test_a_sick_run_is_one_finding_its_cause_and_others_are_their_symptoms(traindx_: Any, logs: Any) -> None:
    traindx_("diagnose", *logs("sick", "odd", "fine"), "--write-baseline", "b.json")
    accepted = json.loads(Path("b.json").read_text())["accepted"]
    assert accepted == [
        {"cause": "loss-plateau", "source": "1-odd.log"},
        {"cause": "lr-too-low", "source": "0-sick.log"},
    ]


def test_a_baseline_accepts_what_it_lists_and_nothing_else(traindx_: Any, logs: Any) -> None:
    known, new = logs("sick", "odd")
    assert traindx_("diagnose", known, "--write-baseline", "accepted.json").code == 0
    check = ("diagnose", "--fail-on", "warning", "--baseline", "accepted.json")
    assert traindx_(*check, known).code == 0
    told = traindx_(*check, known, new)
    assert told.code == 1
    assert told.err == f"traindx diagnose: failing on loss-plateau (warning) in {new}\n"


def test_a_baseline_serves_from_another_folder(
    traindx_: Any, logs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [log] = logs("sick")
    traindx_("diagnose", log.name, "--write-baseline", "accepted.json")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    check = ("diagnose", f"../{log.name}", "--fail-on", "critical")
    assert traindx_(*check).code == 1
    assert traindx_(*check, "--baseline", "../accepted.json").code == 0


@pytest.mark.parametrize(
    ("pattern", "code"), [("*.log", 0), ("?-sick.log", 0), ("other/*.log", 1), ("[0]-sick.log", 1)]
)
def test_a_baseline_may_name_many_sources(pattern: str, code: int, traindx_: Any, logs: Any, tmp_path: Path) -> None:
    accepted = {"schema": "traindx.baseline/1", "accepted": [{"cause": "lr-too-low", "source": pattern}]}
    (tmp_path / "b.json").write_text(json.dumps(accepted))
    assert traindx_("diagnose", *logs("sick"), "--fail-on", "critical", "--baseline", "b.json").code == code


@pytest.mark.parametrize(
    "content", [None, "not json", "[]", '{"schema": "other/9", "accepted": []}', '{"accepted": 3}']
)
def test_a_baseline_that_cannot_be_used_is_one_line(
    content: str | None, traindx_: Any, logs: Any, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "b.json").write_text(content)
    told = traindx_("diagnose", *logs("sick"), "--fail-on", "critical", "--baseline", "b.json")
    assert told.code == 2
    assert told.err.count("\n") == 1
    assert told.err.startswith("traindx diagnose: baseline b.json")
