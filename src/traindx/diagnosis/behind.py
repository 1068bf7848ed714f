"""What may lie behind a condition when only a log is known: how often each fault did, counted over public cases.

`base_rates.json` holds, for each condition, how often each cause was found in public threads in which somebody showed
that symptom and the cause was found (`python -m benchmarks.base_rates` makes it). The rate times the likelihood
ratios of what else the log shows, the condition's own signs left out, gives the ranking.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..conditions import Finding
from .model import UNKNOWN, Model, Term

TYPICAL = 12.0  # cases' worth of the rates over all conditions: cells of a few threads are anecdotes
MOST_TOLD = 4.0  # what the signs of a log may add to a rate or take from it, in log-odds


@cache
def base_rates() -> dict[str, dict[str, float]]:
    """Counts of causes by condition; `all` holds the sums."""
    found: dict[str, dict[str, float]] = json.loads(
        files(__package__).joinpath("base_rates.json").read_text(encoding="utf-8")
    )["counts"]
    return found


def behind(condition: Finding, model: Model, levels: Mapping[str, float]) -> dict[str, float]:
    """The probability of each fault, and of `unknown`, given the condition and what else the log shows."""
    scores = {}
    for name in (*model.causes, UNKNOWN):
        if name != condition.cause:
            prior, terms = score_behind(condition, model, name, levels)
            scores[name] = prior + max(-MOST_TOLD, min(MOST_TOLD, sum(term.amount for term in terms)))
    highest = max(scores.values())
    powers = {name: math.exp(score - highest) for name, score in scores.items()}
    whole = sum(powers.values())
    return {name: power / whole for name, power in powers.items()}


def score_behind(condition: Finding, model: Model, name: str, levels: Mapping[str, float]) -> tuple[float, list[Term]]:
    """The logarithm of how often this fault was found behind the condition, and what else the log shows of it."""
    counts, overall = _counts(condition.id, *condition.beside), base_rates()["all"]
    expected = (overall.get(name, 0.0) + 0.5) / (sum(overall.values()) + 30.0)
    rate = (counts.get(name, 0.0) + TYPICAL * expected) / (sum(counts.values()) + TYPICAL)
    own = {*condition.signs, condition.sign.id}
    weights = model.parameters.weight.get(name, {}) if name != UNKNOWN else {}
    return math.log(rate), [Term(s, levels[s], w) for s, w in weights.items() if w and levels.get(s) and s not in own]


def _counts(*conditions: str) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for name in conditions:
        counts.update(base_rates().get(name, {}))
    return dict(counts)


def how_often(condition: str, cause: str, *beside: str) -> tuple[int, int] | None:
    """In how many of how many public cases this cause was found behind this condition, or one that holds beside it."""
    counts = _counts(condition, *beside)
    cases = round(sum(counts.values()))
    return (round(counts.get(cause, 0)), cases) if cases else None
