"""What controlled re-runs showed, where some were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....diagnosis import Diagnosis
from ...json import strict

VERDICTS = {
    "cured": "Cured: the treated runs train as they should.",
    "helped": "Helped: the treated runs do better, without being cured.",
    "no-proven-fix": "No treatment was proven to help.",
    "nothing-to-treat": "There was nothing to treat.",
    "not-treatable": "This run cannot be treated automatically.",
}


def treatment(diagnosis: Diagnosis) -> dict[str, Any] | None:
    """The `treatment` of the diagnosis as it stands, and the trials that single hypotheses carry."""
    found = getattr(diagnosis, "treatment", None)
    whole = strict(found) if isinstance(found, Mapping) else {}
    trials = [trial for trial in whole.get("trials") or [] if isinstance(trial, dict)]
    single = [{"cause": h.cause, "title": h.title, **strict(h.trial)} for h in diagnosis.hypotheses if h.trial]
    if not whole and not single:
        return None
    return {
        **whole,
        "sentence": VERDICTS.get(str(whole.get("verdict")), ""),
        "trials": trials or single,
    }
