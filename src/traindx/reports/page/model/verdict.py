"""The verdict, its sentence, and what to do now whatever the cause is."""

from __future__ import annotations

from typing import Any

from ....diagnosis import Diagnosis
from ..._verdicts import state


def verdict(diagnosis: Diagnosis) -> dict[str, Any]:
    found = state(diagnosis)
    return {
        "state": found.key,
        "word": found.word,
        "mark": found.mark,
        "sentence": diagnosis.summary,
        "do_now": list(diagnosis.do_now),
    }
