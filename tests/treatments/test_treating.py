"""Trials prove the fault that was planted, find nothing to treat in a healthy run, and never touch the script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from loops import classifier

from traindx.diagnosis import Diagnosis
from traindx.probes.launch import Script
from traindx.reports import render
from traindx.reports.json import SCHEMA_FILE
from traindx.treatments import Options, treat

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
