"""The comparison as one strict JSON object; NaN and Inf become null."""

from __future__ import annotations

import json
import math
from typing import Any

from ...comparison import Comparison, Effect, Entry
from .._look import Look
from ..json import picked

SCHEMA_ID = "traindx.comparison/1"


def render(comparison: Comparison, look: Look) -> str:  # noqa: ARG001 (JSON looks the same everywhere)
    return json.dumps(as_object(comparison), indent=2, allow_nan=False)


def as_object(comparison: Comparison) -> dict[str, Any]:
    noise = comparison.noise
    return {
        "schema": SCHEMA_ID,
        **picked(comparison, "metric higher_is_better ranked statement", level=_finite(comparison.level)),
        "runs": [_run(entry) for entry in comparison.entries],
        **picked(comparison, "differing notes"),
        "effects": [_effect(effect) for effect in comparison.effects],
        "noise": None if noise is None else picked(noise, "groups runs spread"),
        "duplicates": [picked(d, "identical settings_differ", runs=list(d.names)) for d in comparison.duplicates],
        "not_compared": [{"source": source, "reason": reason} for source, reason in comparison.not_compared],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "settings": list(effect.settings),
        "share_of_ranking": effect.share,
        "chance": effect.p_value,
        "confounded_with": None if effect.rival is None else list(effect.rival),
        "levels": [{"value": label, "runs": runs, "middle": _finite(middle)} for label, runs, middle in effect.levels],
    }


def _run(entry: Entry) -> dict[str, Any]:
    outcome = entry.outcome
    return {
        "name": entry.name,
        **picked(outcome, "source kind steps step_unit stability verdict condition cause confidence summary"),
        "settings": {**outcome.settings, **entry.settings},
        "best": _finite(entry.best),
        "best_step": entry.best_step,
        "final": _finite(entry.final),
        "steps_to_level": entry.reached,
        "broken": entry.value is None,
        "since_step": outcome.since,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
