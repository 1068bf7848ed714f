"""JSON follows the published schema exactly, and is strict JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from report_samples import EVERY, sick
from report_strategies import diagnoses

from traindx.diagnosis import Diagnosis, Effect, Treatment, TrialCurve, TrialReport
from traindx.reports import render, render_all
from traindx.reports.json import SCHEMA_FILE, strict

SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def strictly(text: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def unknown_keys(value: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """The keys that the schema does not name, at any depth where it names keys at all."""
    if isinstance(value, list):
        return [key for item in value for key in unknown_keys(item, schema.get("items", {}), path)]
    named = schema.get("properties")
    if not isinstance(value, dict) or named is None:
        return []
    found = [f"{path}.{key}" for key in value if key not in named]
    return found + [k for key in value if key in named for k in unknown_keys(value[key], named[key], f"{path}.{key}")]


@given(diagnoses)
@settings(max_examples=60, deadline=None)
def test_any_diagnosis_fits_the_schema_and_adds_nothing_to_it(diagnosis: Diagnosis) -> None:
    report = strictly(render(diagnosis, "json"))
    VALIDATOR.validate(report)
    assert unknown_keys(report, SCHEMA) == []


@pytest.mark.parametrize("verdict", EVERY)
def test_every_verdict_fits_the_schema(verdict: str) -> None:
    report = strictly(render(EVERY[verdict](), "json"))
    VALIDATOR.validate(report)
    assert report["verdict"] == verdict


def test_the_numbers_and_places_arrive() -> None:
    report = strictly(render(sick(), "json"))
    assert report["run"] == {"source": "traindx-runs/train-1.tdx", "kind": "observed", "steps": 240, "exit": "ok"}
    assert report["symptoms"][0]["values"] == {"from": 0.115, "to": 2350.0, "last": "NaN"}
    assert report["symptoms"][0]["onset_step"] == 120
    assert [h["cause"] for h in report["hypotheses"]] == ["lr-too-high", "no-warmup", "unknown"]
    assert report["hypotheses"][0]["fix"]["location"] == {"file": "train.py", "line": 31}
    assert report["hypotheses"][0]["fix"]["patch"].startswith("--- a/train.py\n+++ b/train.py\n")
    assert report["hypotheses"][0]["basis"] == "suspected"
    assert report["do_now"] == ["Stop the run and resume from the checkpoint before step 120."]
    assert report["hypotheses"][1]["fix"] is None
    assert report["next_tests"] == [{"command": "traindx treat train.py", "settles": ["lr-too-high", "no-warmup"]}]


def test_several_runs_are_a_list_and_as_lines_one_object_each() -> None:
    several = [make() for make in EVERY.values()]
    assert [found["verdict"] for found in strictly(render_all(several, "json"))] == list(EVERY)
    lines = render_all(several, "jsonl").splitlines()
    assert [strictly(line)["verdict"] for line in lines] == list(EVERY)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("inf"), "Infinity"),
        (-np.inf, "-Infinity"),
        (np.float32("nan"), "NaN"),
        (np.array([[1.0, np.nan]]), [[1.0, "NaN"]]),
        (np.bool_(True), True),
        (np.int64(3), 3),
        ((1, {2: None}), [1, {"2": None}]),
        (Path("a/b"), str(Path("a/b"))),
        (True, True),
    ],
)
def test_values_become_plain_json(value: object, expected: object) -> None:
    assert strict(value) == expected
    assert type(strict(value)) is type(expected)


@pytest.mark.parametrize("curves", [(), (TrialCurve("control", [0, 4], [2.3, None]),)])
def test_curves_of_a_trial_fit_the_schema_and_are_absent_where_there_are_none(curves: tuple[TrialCurve, ...]) -> None:
    trial = TrialReport("a", "A", "lr-too-high", "failed", 0, Effect("training loss", 2.0, float("nan")), curves=curves)
    report = strictly(render(replace(sick(), treatment=Treatment("no-proven-fix", "None.", [trial])), "json"))
    VALIDATOR.validate(report)
    assert unknown_keys(report, SCHEMA) == []
    told = report["treatment"]["trials"][0].get("curves")
    assert told == ([{"label": "control", "steps": [0, 4], "losses": [2.3, None]}] if curves else None)
