"""The results of controlled re-runs, if there are any."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....diagnosis import Diagnosis, TrialReport
from ....record import Series
from ..._treatment import HEADS, confirmation, cost, trial_line
from ...json import strict
from .arrays import packed
from .curves import spans_decades


def treatment(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The treatment with its sentences; without a treatment, the trials attached to the hypotheses."""
    found = diagnosis.treatment
    if found is None:
        single = [{"cause": h.cause, "title": h.title, **strict(h.trial)} for h in diagnosis.hypotheses if h.trial]
        return {"word": "", "sentence": "", "trials": single, "remarks": [], "patch": None} if single else None
    confirmed = confirmation(found)
    return {
        "word": HEADS[found.verdict][0].capitalize(),
        "sentence": found.text,
        "trials": [_trial(trial) for trial in found.trials],
        "remarks": [
            *([confirmed] if confirmed else []),
            *(f"Ruled out: {text}" for text in found.rules_out),
            *found.notes,
            *([cost(found)] if found.trials else []),
        ],
        "patch": found.patch,
    }


def _trial(trial: TrialReport) -> dict[str, Any]:
    """The trial as in the JSON report, plus its sentence and its packed curves."""
    return {**strict(trial.as_object()), "line": trial_line(trial), "curves": _curves(trial)}


def _curves(trial: TrialReport) -> dict[str, Any] | None:
    series = [Series(c.label, np.array(c.steps, int), np.array(c.losses, float)) for c in trial.curves]
    lines = [{"name": one.name, "label": one.name.capitalize(), **packed(one)} for one in series]
    return {"log": spans_decades(series), "lines": lines} if lines else None
