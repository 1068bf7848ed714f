"""The comparison as one strict JSON object; NaN and Inf become null."""

from __future__ import annotations

import json
import math
from typing import Any

from ...comparison import Comparison, Entry
from .._look import Look

SCHEMA_ID = "traindx.comparison/1"


def render(comparison: Comparison, look: Look) -> str:  # noqa: ARG001 (JSON looks the same everywhere)
    return json.dumps(as_object(comparison), indent=2, allow_nan=False)


def as_object(comparison: Comparison) -> dict[str, Any]:
    noise = comparison.noise
    return {
        "schema": SCHEMA_ID,
        "metric": comparison.metric,
        "higher_is_better": comparison.higher_is_better,
        "ranked": comparison.ranked,
        "level": _finite(comparison.level),
        "statement": list(comparison.statement),
        "runs": [_run(entry) for entry in comparison.entries],
        "differing": list(comparison.differing),
        "effects": [
            {
                "settings": list(effect.settings),
                "share_of_ranking": effect.share,
                "chance": effect.p_value,
                "confounded_with": None if effect.rival is None else list(effect.rival),
                "levels": [
                    {"value": label, "runs": runs, "middle": _finite(middle)} for label, runs, middle in effect.levels
                ],
            }
            for effect in comparison.effects
        ],
        "noise": None if noise is None else {"groups": noise.groups, "runs": noise.runs, "spread": noise.spread},
        "duplicates": [
            {"runs": list(d.names), "identical": d.identical, "settings_differ": d.settings_differ}
            for d in comparison.duplicates
        ],
        "notes": list(comparison.notes),
        "not_compared": [{"source": source, "reason": reason} for source, reason in comparison.not_compared],
    }


def _run(entry: Entry) -> dict[str, Any]:
    outcome = entry.outcome
    return {
        "name": entry.name,
        "source": outcome.source,
        "kind": outcome.kind,
        "steps": outcome.steps,
        "step_unit": outcome.step_unit,
        "settings": {**outcome.settings, **entry.settings},
        "best": _finite(entry.best),
        "best_step": entry.best_step,
        "final": _finite(entry.final),
        "steps_to_level": entry.reached,
        "broken": entry.value is None,
        "stability": outcome.stability,
        "verdict": outcome.verdict,
        "cause": outcome.cause,
        "confidence": outcome.confidence,
        "summary": outcome.summary,
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
