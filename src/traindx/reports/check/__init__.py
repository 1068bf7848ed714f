"""The report of a check: as text, a line or two for each answer, then the leading cause and its fix; and as JSON."""

from __future__ import annotations

from typing import Any

from ...diagnosis.checks.types import CheckReport, Status
from .. import Look
from .._findings import short
from .._sections import Entry, Section
from ..json import as_object as diagnosis_object
from ..json import picked
from ..text import page_of

MARKS: dict[Status, tuple[str, str]] = {
    "passed": ("✓", "ok"),
    "failed": ("✗", "XX"),
    "doubtful": ("!", "!!"),
    "unasked": ("–", "--"),
}
COLOURS: dict[Status, str] = {"passed": "green", "failed": "red", "doubtful": "yellow", "unasked": "dim"}
CONVINCED = 0.5  # a less likely cause is not shown: it would distract from the failed check
TITLES = {"data": "DATA", "start": "START", "wiring": "WIRING", "learning": "ONE BATCH", "repeatability": "REPEAT"}


def page(report: CheckReport, look: Look | None = None) -> str:
    look = look or Look()
    return page_of(sections(report, look.ascii_only), look)


def sections(report: CheckReport, ascii_only: bool) -> list[Section]:
    """A line or two for each answer; then what the run is in, and its leading cause where a check failed."""
    parts = [Section("CHECK", [Entry(_counts(report))])]
    for group, title in TITLES.items():
        entries = [
            Entry(
                f"{answer.id}: not answered, {answer.text}" if answer.status == "unasked" else answer.text,
                f"{MARKS[answer.status][ascii_only]} ",
                style=COLOURS[answer.status],
            )
            for answer in report.answers
            if answer.group == group
        ]
        parts += [Section(title, entries, apart=len(parts) == 1)] if entries else []
    diagnosis = report.diagnosis
    if report.passed:
        return parts
    if diagnosis.headline.kind == "condition":
        parts.append(Section("CONDITION", [Entry(diagnosis.summary)], apart=True))
    named = diagnosis.hypotheses and diagnosis.leading.cause not in ("healthy", "unknown")
    likely = named and (diagnosis.leading.basis == "seen" or diagnosis.leading.confidence >= CONVINCED)
    return [*parts, *(short(diagnosis.leading) if likely else [])]


def as_object(report: CheckReport) -> dict[str, Any]:
    """Plain dicts and lists: the diagnosis's JSON object plus the answers as `checks`."""
    checks = [picked(answer, "id group status text values") for answer in report.answers]
    return {**diagnosis_object(report.diagnosis), "checks": checks}


def _counts(report: CheckReport) -> str:
    counts = {status: len(report.of(status)) for status in MARKS}
    words = f"{report.source}: {counts['passed']} passed, {counts['failed']} failed"
    words += f", {counts['doubtful']} worth a look" if counts["doubtful"] else ""
    return words + (f", {counts['unasked']} not answered" if counts["unasked"] else "")
