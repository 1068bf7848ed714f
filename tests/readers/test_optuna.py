"""Optuna studies: SQLite files with the tables that Optuna makes."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from traindx.readers import ReaderError, read

TABLES = """
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY, direction VARCHAR(8), study_id INTEGER, objective INTEGER);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);
CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER PRIMARY KEY, trial_id INTEGER, step INTEGER, intermediate_value FLOAT);
"""  # noqa: E501


def study(folder: Path, direction: str = "MINIMIZE", scale: float = 1.0) -> Path:
    path = folder / "study.db"
    with sqlite3.connect(path) as database:
        database.executescript(TABLES)
        database.execute("INSERT INTO study_directions VALUES (1, ?, 1, 0)", (direction,))
        for trial in range(3):
            database.execute("INSERT INTO trials VALUES (?, ?, 1, 'COMPLETE')", (trial + 1, trial))
            database.execute(
                "INSERT INTO trial_params VALUES (?, ?, 'lr', ?, '{}')", (2 * trial, trial + 1, 10.0**-trial)
            )
            choices = '{"name": "CategoricalDistribution", "attributes": {"choices": ["sgd", "adam"]}}'
            database.execute(
                "INSERT INTO trial_params VALUES (?, ?, 'opt', ?, ?)", (2 * trial + 1, trial + 1, trial % 2, choices)
            )
            for step in range(12 if trial < 2 else 0):
                value = scale * (0.9 - 0.05 * step)
                database.execute(
                    "INSERT INTO trial_intermediate_values VALUES (NULL, ?, ?, ?)", (trial + 1, step, value)
                )
    return path


def test_each_trial_that_reported_is_a_run_with_its_parameters(tmp_path: Path) -> None:
    runs = read(study(tmp_path))
    assert [run.source.rpartition(" (")[2] for run in runs] == ["trial 0)", "trial 1)"]
    assert [run.facts["log"]["config"] for run in runs] == [{"lr": 1.0, "opt": "sgd"}, {"lr": 0.1, "opt": "adam"}]
    assert runs[1].series("loss/validation").values[:2] == pytest.approx([0.9, 0.85])


@pytest.mark.parametrize(("scale", "series"), [(1.0, "accuracy/validation"), (50.0, "raw/val_score")])
def test_what_is_maximised_is_no_loss(tmp_path: Path, scale: float, series: str) -> None:
    run = read(study(tmp_path, "MAXIMIZE", scale))[0]
    assert run.series(series) and not run.series("loss/validation")


def test_another_database_and_a_damaged_study_are_one_clear_line(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute("CREATE TABLE trials (trial_id INTEGER)")
    with pytest.raises(ReaderError, match="not a traindx record"):
        read(tmp_path / "other.db")
    path = study(tmp_path)
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(ReaderError):
        read(path)
