"""The texts in the cells of a comparison's table, shared by all formats."""

from __future__ import annotations

from ...comparison import Comparison, Entry
from ...wording import num4, probability

VERDICTS = {"inconclusive": "unclear", "out-of-scope": "out of scope"}  # other verdicts are shown as they are
CAUSES = {"unknown": "unknown cause"}


def value(found: float | None) -> str:
    return "-" if found is None else num4(found)


def final(entry: Entry) -> str:
    """The final value, or NaN."""
    return "NaN" if entry.final is None else value(entry.final)


def count(steps: int | None, missing: str = "never") -> str:
    return missing if steps is None else f"{steps:,}"


def diagnosis(entry: Entry) -> str:
    outcome = entry.outcome
    if outcome.cause:
        return f"{CAUSES.get(outcome.cause, outcome.cause)} {probability(outcome.confidence)}"
    return VERDICTS.get(outcome.verdict, outcome.verdict)


def heading_reached(comparison: Comparison) -> list[str]:
    """The heading of the column "steps to level"; empty if the runs share no level because they are not ranked."""
    return [] if comparison.level is None else [f"steps to {value(comparison.level)}"]


def duplicate_sentences(comparison: Comparison) -> list[str]:
    """One sentence about each group of runs with equal curves."""
    sentences = []
    for group in comparison.duplicates:
        names = list(group.names)
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        alike = "the same curve to the last digit" if group.identical else "nearly the same curve"
        reason = (
            "their settings differ, so a setting did not take effect or a log was copied"
            if group.settings_differ
            else "count them as one run: a copy, or a repeat with the same seed"
        )
        sentences.append(f"{listed}: {alike}; {reason}.")
    return sentences
