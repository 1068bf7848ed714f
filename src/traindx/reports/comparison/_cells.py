"""The words in a comparison's table, the same in every format."""

from __future__ import annotations

from ...comparison import Comparison, Entry
from ...wording import num4, probability

VERDICTS = {"inconclusive": "unclear", "out-of-scope": "out of scope"}  # as the diagnosis calls them
CAUSES = {"unknown": "unknown cause"}


def value(found: float | None) -> str:
    return "-" if found is None else num4(found)


def final(entry: Entry) -> str:
    """The level at the end; a run that ended in NaN says so."""
    return "NaN" if entry.final is None else value(entry.final)


def count(steps: int | None, missing: str = "never") -> str:
    return missing if steps is None else f"{steps:,}"


def diagnosis(entry: Entry) -> str:
    outcome = entry.outcome
    if outcome.cause:
        return f"{CAUSES.get(outcome.cause, outcome.cause)} {probability(outcome.confidence)}"
    return VERDICTS.get(outcome.verdict, outcome.verdict)


def heading_reached(comparison: Comparison) -> list[str]:
    """One heading, or none: runs that are not ranked share no level to reach."""
    return [] if comparison.level is None else [f"steps to {value(comparison.level)}"]


def duplicate_sentences(comparison: Comparison) -> list[str]:
    """What is odd about equal curves, one sentence a group."""
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
