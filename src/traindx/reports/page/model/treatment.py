"""What controlled re-runs showed, where some were made."""

from __future__ import annotations

from typing import Any

from ....diagnosis import Diagnosis
from ..._treatment import CONFIRMED, HEADS, cost, trial_line
from ...json import strict


def treatment(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The treatment as the JSON report has it, with its sentences; else the trials that hypotheses carry."""
    found = diagnosis.treatment
    if found is None:
        single = [{"cause": h.cause, "title": h.title, **strict(h.trial)} for h in diagnosis.hypotheses if h.trial]
        return {"word": "", "sentence": "", "trials": single, "remarks": [], "patch": None} if single else None
    confirmed = [] if found.confirmed_by_patched_run is None else [CONFIRMED[found.confirmed_by_patched_run]]
    return {
        "word": HEADS[found.verdict][0].capitalize(),
        "sentence": found.text,
        "trials": [{**strict(trial.as_object()), "line": trial_line(trial)} for trial in found.trials],
        "remarks": [
            *confirmed,
            *(f"Ruled out: {text}" for text in found.rules_out),
            *found.notes,
            *([cost(found)] if found.trials else []),
        ],
        "patch": found.patch,
    }
