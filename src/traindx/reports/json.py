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

from ..conditions import Finding
from ..diagnosis import Diagnosis, Hypothesis
from ..facts import WIRING, Fact
from ._look import Look

SUFFIXES = (".json",)
MOST_FACTS = 20  # flagged ones in a diagnosis
SCHEMA_ID = "traindx.diagnosis/1"
SCHEMA_FILE = Path(__file__).with_name("diagnosis.schema.json")


def render(diagnosis: Diagnosis, look: Look) -> str:  # noqa: ARG001 (JSON looks the same everywhere)
    return json.dumps(as_object(diagnosis), indent=2, allow_nan=False)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:  # noqa: ARG001
    """A list, with one object on each line."""
    objects = ",\n".join(json.dumps(as_object(diagnosis), allow_nan=False) for diagnosis in diagnoses)
    return f"[\n{objects}\n]"


def as_object(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain dicts, lists, strings and numbers."""
    return {
        "schema": SCHEMA_ID,
        **picked(diagnosis, "verdict summary"),
        "headline": picked(diagnosis.headline, "kind id confidence", since_step=strict(diagnosis.headline.since)),
        "conditions": [_condition(condition) for condition in diagnosis.conditions],
        "facts": [fact_object(fact) for fact in told_facts(diagnosis)],
        **picked(diagnosis, "do_now not_measured", run=picked(diagnosis, "source kind steps exit")),
        **({"loss_terms": diagnosis.terms} if diagnosis.terms else {}),
        "symptoms": [
            picked(s, "severity text values", sign=s.id, onset_step=strict(s.onset)) for s in diagnosis.symptoms
        ],
        "hypotheses": [_hypothesis(hypothesis) for hypothesis in diagnosis.hypotheses],
        **({} if diagnosis.similar is None else {"similar_case": asdict(diagnosis.similar)}),
        "advice": [picked(advice, "cause text") for advice in diagnosis.advice],
        "next_tests": [picked(test, "command settles") for test in diagnosis.next_tests],
        **({} if diagnosis.treatment is None else {"treatment": strict(diagnosis.treatment.as_object())}),
    }


def picked(of: Any, names: str, **others: Any) -> dict[str, Any]:
    """The named fields of an object as JSON values, and others besides."""
    return {**{name: strict(getattr(of, name)) for name in names.split()}, **others}


def _condition(finding: Finding) -> dict[str, Any]:
    return picked(
        finding,
        "id title confidence grave follows_from evidence do_now",
        onset_step=strict(finding.onset),
        remedies=[picked(remedy, "text code verify") for remedy in finding.remedies],
    )


def told_facts(diagnosis: Diagnosis) -> list[Fact]:
    """The flagged facts and the wiring; `traindx facts` shows all."""
    flagged = [fact for fact in diagnosis.facts if fact.flag]
    return [*flagged[:MOST_FACTS], *(fact for fact in diagnosis.facts if fact.question == WIRING)]


def fact_object(fact: Fact) -> dict[str, Any]:
    found = picked(fact, "id text value where", unit=fact.unit or None)
    if fact.reference is None:
        return found
    reference = [float(f"{end:.4g}") for end in fact.reference]
    return {**found, **picked(fact, "percentile flag n", reference=reference)}


def _hypothesis(hypothesis: Hypothesis) -> dict[str, Any]:
    fix = hypothesis.fix
    place = None if fix is None or fix.location is None else picked(fix.location, "file line")
    return {
        **picked(hypothesis, "cause confidence evidence against avoid verify reference trial"),
        **({} if hypothesis.cause in ("healthy", "unknown") else {"basis": hypothesis.basis}),
        "fix": None if fix is None else picked(fix, "summary code safety patch", location=place),
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
        if math.isfinite(value):
            return float(value)
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (Sequence, set, frozenset)):
        return [strict(inner) for inner in value]
    return str(value)
