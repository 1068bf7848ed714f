"""The check's report as text: a line or two for each answer, then the leading cause and its fix."""

from __future__ import annotations

from ...diagnosis.checks.types import CheckReport, Status
from ...wording import probability
from .. import Look
from .._hypotheses import show_fix
from ..layout import Page

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
    sheet = Page(look)
    sheet.prose(*_headline(report))
    sheet.gap()
    for group, title in TITLES.items():
        answers = [answer for answer in report.answers if answer.group == group]
        for i, answer in enumerate(answers):
            mark = MARKS[answer.status][look.ascii_only]
            text = f"{answer.id}: not answered, {answer.text}" if answer.status == "unasked" else answer.text
            sheet.prose("" if i else title, text, bullet=f"{mark} ", mark=COLOURS[answer.status])
    _advice(sheet, report)
    return str(sheet)


def _headline(report: CheckReport) -> tuple[str, str]:
    counts = {status: len(report.of(status)) for status in MARKS}
    words = f"{report.source}: {counts['passed']} passed, {counts['failed']} failed"
    if counts["doubtful"]:
        words += f", {counts['doubtful']} worth a look"
    if counts["unasked"]:
        words += f", {counts['unasked']} not answered"
    return ("CHECK", words)


def _advice(sheet: Page, report: CheckReport) -> None:
    """The diagnosis's leading cause and its fix, if a check failed and the cause is likely."""
    diagnosis = report.diagnosis
    if report.passed or not diagnosis.hypotheses or diagnosis.leading.cause in ("healthy", "unknown"):
        return
    leading = diagnosis.leading
    if leading.basis != "seen" and leading.confidence < CONVINCED:
        return
    sheet.gap()
    sheet.prose("CAUSE", f"{leading.title} ({leading.cause}), {probability(leading.confidence)}")
    if leading.fix is not None:
        show_fix(sheet, leading.fix)
