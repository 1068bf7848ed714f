"""The diagnosis as strict JSON that conforms to `diagnosis.schema.json` beside this file.

JSON has no NaN and no infinity. They are written as the strings "NaN", "Infinity" and "-Infinity", so that a loss of
NaN is not mistaken for a loss that was not measured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..causes import Fix
from ..diagnosis import Diagnosis, Hypothesis
from ..signs import Sign
from ._look import Look

SUFFIXES = (".json", ".jsonl")
SCHEMA_ID = "traindx.diagnosis/1"
SCHEMA_FILE = Path(__file__).with_name("diagnosis.schema.json")


def render(diagnosis: Diagnosis, look: Look) -> str:  # noqa: ARG001 (JSON looks the same everywhere)
    return json.dumps(as_object(diagnosis), indent=2, allow_nan=False)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:  # noqa: ARG001
    """One object per line."""
    return "\n".join(json.dumps(as_object(diagnosis), allow_nan=False) for diagnosis in diagnoses)


def as_object(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain dicts, lists, strings and numbers."""
    return {
        "schema": SCHEMA_ID,
        "verdict": diagnosis.verdict,
        "summary": diagnosis.summary,
        "do_now": list(diagnosis.do_now),
        "not_measured": list(diagnosis.not_measured),
        "run": {
            "source": diagnosis.source,
            "kind": diagnosis.kind,
            "steps": int(diagnosis.steps),
            "exit": diagnosis.exit,
        },
        **({"loss_terms": diagnosis.terms} if diagnosis.terms else {}),
        "symptoms": [_symptom(sign) for sign in diagnosis.symptoms],
        "hypotheses": [_hypothesis(hypothesis) for hypothesis in diagnosis.hypotheses],
        **({} if diagnosis.similar is None else {"similar_case": asdict(diagnosis.similar)}),
        "advice": [{"cause": advice.cause, "text": advice.text} for advice in diagnosis.advice],
        "next_tests": [{"command": test.command, "settles": list(test.settles)} for test in diagnosis.next_tests],
        **({} if diagnosis.treatment is None else {"treatment": strict(diagnosis.treatment.as_object())}),
    }


def _symptom(sign: Sign) -> dict[str, Any]:
    return {
        "sign": sign.id,
        "severity": sign.severity,
        "onset_step": None if sign.onset is None else int(sign.onset),
        "text": sign.text,
        "values": strict(sign.values),
    }


def _hypothesis(hypothesis: Hypothesis) -> dict[str, Any]:
    return {
        "cause": hypothesis.cause,
        "confidence": float(hypothesis.confidence),
        **({} if hypothesis.cause in ("healthy", "unknown") else {"basis": hypothesis.basis}),
        "evidence": list(hypothesis.evidence),
        "against": list(hypothesis.against),
        "fix": None if hypothesis.fix is None else _fix(hypothesis.fix),
        "avoid": list(hypothesis.avoid),
        "verify": hypothesis.verify,
        "reference": hypothesis.reference,
        "trial": None if hypothesis.trial is None else strict(hypothesis.trial),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    place = fix.location
    return {
        "summary": fix.summary,
        "code": fix.code,
        "location": None if place is None else {"file": place.file, "line": int(place.line)},
        "safety": fix.safety,
        "patch": fix.patch,
    }


def strict(value: Any) -> Any:
    """`value` as JSON types. Accepts numpy scalars and arrays; any other object becomes its text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): strict(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return strict(value.tolist())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _spelled(value)
    if isinstance(value, (Sequence, set, frozenset)):
        return [strict(inner) for inner in value]
    return str(value)


def _spelled(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
