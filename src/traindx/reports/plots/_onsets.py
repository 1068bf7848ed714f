"""Marks where symptoms begin with letters above a chart, because words inside it would hide the curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...diagnosis import Diagnosis
from ...signs import Sign
from ...wording import clean
from ._subject import Subject

MOST = 5
LETTERS = "ABCDE"


def onsets(diagnosis: Diagnosis | None) -> list[tuple[int, list[Sign]]]:
    """The onsets of the leading symptoms in order of time, each with its signs."""
    found: dict[int, list[Sign]] = {}
    for sign in diagnosis.symptoms if diagnosis else ():
        if sign.onset is not None and sign.severity != "info":
            found.setdefault(sign.onset, []).append(sign)
    return sorted(list(found.items())[:MOST])


def onset_lines(subjects: Sequence[Subject]) -> list[str]:
    """The meaning of the letters, one line each."""
    if len(subjects) > 1:
        return []
    unit = clean(subjects[0].run.step_unit)
    return [
        f"{letter}  from {unit} {step:,}: {', '.join(clean(sign.id.replace('-', ' ')) for sign in signs[:3])}"
        for letter, (step, signs) in zip(LETTERS, onsets(subjects[0].diagnosis), strict=False)
    ]


def mark_onsets(axes: Any, subject: Subject) -> None:
    """Draw a pale line behind the curve at each onset, and its letter above the chart."""
    low, high = axes.get_xlim()
    free = low - 1.0
    for letter, (step, _) in zip(LETTERS, onsets(subject.diagnosis), strict=False):
        axes.axvline(step, color="#c3c8d0", linewidth=1.0, zorder=1)
        axes.axvline(step, ymin=0.95, color="#333333", linewidth=1.2, zorder=5)
        # Move letters apart if onsets are closer than a letter is wide.
        place = max(float(step), free)
        free = place + 0.016 * (high - low)
        axes.annotate(
            letter, (place, 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 1.5), textcoords="offset points",
            fontsize=8.5, fontweight="bold", ha="center", va="bottom", annotation_clip=False,
        )  # fmt: skip
