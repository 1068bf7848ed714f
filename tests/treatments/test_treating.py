"""Trials prove the fault that was planted, find nothing to treat in a healthy run, and never touch the script."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from loops import classifier

from traindx.diagnosis import Diagnosis, Hypothesis, diagnose
from traindx.diagnosis.types import Basis
from traindx.probes.launch import Script
from traindx.record import RunBuilder
from traindx.reports import render
from traindx.reports.json import SCHEMA_FILE
from traindx.treatments import Options, treat
from traindx.treatments.treating import worth_treating

FAULTS = {
    "lr-too-high": classifier(optimizer="Adam(model.parameters(), lr=2.0)"),
    "missing-zero-grad": classifier(clear="pass", optimizer="SGD(model.parameters(), lr=0.1)"),
    "double-softmax": classifier(last=", nn.Softmax(dim=1)", optimizer="SGD(model.parameters(), lr=0.3)"),
}

Write = Callable[..., Script]


@pytest.mark.parametrize("cause", FAULTS)
def test_the_planted_fault_is_proven_and_its_patch_confirmed(cause: str, script: Write, in_process: None) -> None:
    patient = script(FAULTS[cause])
    before = Path(patient.path).read_bytes()
    found = treat(patient, Options())
    treatment = found.treatment
    assert treatment is not None
    assert (treatment.verdict, treatment.cause) == ("cured", cause), [(t.verdict, t.note) for t in treatment.trials]
    assert found.leading.cause == cause
    assert found.leading.basis == "proven"
    assert treatment.confirmed_by_patched_run is True
    assert Path(patient.path).read_bytes() == before
    _fits_schema(found)


def test_a_fix_on_the_command_line_is_confirmed_with_the_changed_argument(script: Write, in_process: None) -> None:
    text = classifier(optimizer="Adam(model.parameters(), lr=float(args.lr))")
    parsing = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', type=float)\n"
    parsing += "parser.add_argument('--secret')\nargs = parser.parse_args()\nassert args.secret == 'a b/c'\n"
    found = treat(script(parsing + text, "--lr", "2.0", "--secret", "a b/c"), Options())
    assert found.treatment is not None
    assert (found.treatment.verdict, found.treatment.cause) == ("cured", "lr-too-high")
    assert found.treatment.patch is None
    assert found.treatment.confirmed_by_patched_run is True


def test_a_seen_fault_that_costs_little_is_fixed_and_not_ruled_out(script: Write, in_process: None) -> None:
    found = treat(script(classifier(last=", nn.Softmax(dim=1)", epochs=20)), Options(confirm=False))
    assert found.treatment is not None
    assert (found.treatment.verdict, found.treatment.cause) == ("cured", "double-softmax")
    assert not found.treatment.rules_out
    assert found.leading.fix is not None and found.treatment.patch == found.leading.fix.patch
    assert (found.headline.kind, found.headline.id) == ("fault", "double-softmax")


def test_two_faults_that_were_seen_are_removed_by_one_patch(script: Write, in_process: None) -> None:
    both = classifier(clear="pass", last=", nn.Softmax(dim=1)", optimizer="SGD(model.parameters(), lr=0.3)")
    found = treat(script(both), Options(confirm=False))
    assert found.treatment is not None and found.treatment.patch is not None
    assert found.treatment.proves, [(t.verdict, t.note) for t in found.treatment.trials]
    assert "zero_grad()" in found.treatment.patch and "-model = nn.Sequential" in found.treatment.patch


def hypothesis(cause: str, confidence: float, basis: Basis = "suspected") -> Hypothesis:
    return Hypothesis(cause, confidence, cause, basis)


@pytest.mark.parametrize(
    ("suspicion", "score", "worth"),
    [
        (hypothesis("lr-too-high", 0.45), 0.8, True),
        (hypothesis("lr-never-decays", 0.45), 1.0, False),  # nothing is left to gain
        (hypothesis("undertrained", 0.45), 0.8, False),  # advice, not a disease
        (hypothesis("double-softmax", 0.45, "seen"), 1.0, True),
    ],
)
def test_of_a_healthy_run_only_what_is_wrong_is_treated(suspicion: Hypothesis, score: float, worth: bool) -> None:
    run = RunBuilder("train.py", "observed").series("score/validation", range(9), [score] * 9).build()
    given = replace(diagnose(run), verdict="healthy", suspected=False, hypotheses=[suspicion])
    assert worth_treating(given, run) is worth
    assert worth_treating(replace(given, verdict="sick"), run)


def test_a_healthy_run_is_left_alone_after_one_run(script: Write, in_process: None) -> None:
    found = treat(script(classifier()), Options())
    assert found.treatment is not None
    assert found.treatment.verdict == "nothing-to-treat"
    assert found.treatment.control_runs == 1
    assert not found.treatment.trials
    _fits_schema(found)


def _fits_schema(found: Diagnosis) -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(json.loads(render(found, "json")))
    assert "TREATED" in render(found, "text")
    assert "## Treated" in render(found, "markdown")
