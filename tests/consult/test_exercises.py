"""The course: every exercise has a patient with the fault that its answer names, and the verb checks answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from traindx.__main__ import main
from traindx.causes import all_causes
from traindx.consult.exercises import HEALTHY, PARTS, all_exercises
from traindx.zoo import all_cases

NAMED = [exercise for exercise in all_exercises().values() if exercise.file == "train.py"]


def test_numbers_follow_the_course():
    exercises = list(all_exercises().values())
    assert [exercise.number for exercise in exercises] == list(range(1, len(exercises) + 1))
    assert list(dict.fromkeys(exercise.part for exercise in exercises)) == list(PARTS)


@pytest.mark.parametrize("exercise", NAMED, ids=lambda exercise: exercise.title)
def test_the_one_right_answer_is_the_fault_of_the_patient(exercise):
    faults = {case.cause for case in all_cases() if case.source == exercise.source()}
    right = {name for name in [*all_causes(), HEALTHY] if exercise.judge(name).right}
    assert right == faults
    assert exercise.hints and exercise.solution


@pytest.mark.parametrize("exercise", NAMED, ids=lambda exercise: exercise.title)
def test_wrong_answers_get_a_reason(exercise):
    known = [name for name in all_causes() if exercise.judge(name).right is False]
    told = {exercise.judge(name).text for name in known}
    assert len(told) >= 4


def test_an_answer_that_is_no_cause_is_an_error_with_a_suggestion(capsys):
    assert main(["exercise", "7", "--answer", "lr_to_high"]) == 2
    assert "did you mean lr-too-high?" in capsys.readouterr().err


def test_a_right_answer_shows_the_solution_and_a_wrong_one_does_not(capsys):
    assert main(["exercise", "7", "--answer", "Learning rate too high"]) == 0
    right = capsys.readouterr().out
    assert main(["exercise", "7", "--answer", "no-warmup"]) == 1
    assert "Remember:" in right and "Remember:" not in capsys.readouterr().out


def test_the_script_is_written_once_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["exercise", "5"]) == 0
    script = tmp_path / "exercise-5" / "train.py"
    script.write_text("mine")
    assert main(["exercise", "5"]) == 0
    assert script.read_text() == "mine"
    assert "as you left it" in capsys.readouterr().out


def test_traindx_finds_what_the_reader_was_asked(tmp_path):
    """One patient, from the exercise to the diagnosis; the zoo's benchmark covers the others."""
    exercise = all_exercises()[5]
    (tmp_path / "train.py").write_text(exercise.source())
    words = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", "train.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert "missing-zero-grad" in done.stderr


SIGN = """
import numpy as np
from traindx.signs import Missing, Sign, ramp

def measure(run):
    values = run.series("loss/train").values
    if len(values) < 40:
        return Missing("loss-restless", "too short")
    share = float(np.mean([values[i] > 1.5 * np.median(values[i - 20 : i]) for i in range(20, len(values))]))
    return Sign("loss-restless", share, ramp(share, 0.02, HIGH), f"{share:.0%} of the losses jump")
"""


@pytest.mark.parametrize(("high", "right"), [("0.2", True), ("0.9", False)])
def test_a_sign_of_the_readers_own_is_measured(tmp_path: Path, high: str, right: bool):
    (tmp_path / "my_sign.py").write_text(SIGN.replace("HIGH", high))
    assert all_exercises()[13].judge(str(tmp_path / "my_sign.py")).right is right


def test_a_sign_that_fails_is_told_why(tmp_path: Path):
    (tmp_path / "my_sign.py").write_text("def measure(run):\n    return run.nothing\n")
    judged = all_exercises()[13].judge(str(tmp_path / "my_sign.py"))
    assert judged.right is False and "AttributeError" in judged.text
