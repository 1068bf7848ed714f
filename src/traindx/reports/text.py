"""The diagnosis as a page for the terminal: readable at 80 columns, without colour, and in a log file."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnosis import Diagnosis
from ._curve import figure
from ._hypotheses import candidates, cause, further, others
from ._look import Look
from ._page import MARGIN, Page
from ._prose import clean, counted
from ._why import why

SUFFIXES = (".txt", ".log")
VERDICTS = {
    "sick": ("SICK", "red"),
    "healthy": ("HEALTHY", "green"),
    "inconclusive": ("UNCLEAR", "yellow"),
    "out-of-scope": ("ELSEWHERE", "yellow"),
}
ENDINGS = {"ok": "ended normally", "running": "still running", "exception": "ended by an exception"}


def render(diagnosis: Diagnosis, look: Look) -> str:
    page = Page(look)
    _verdict(page, diagnosis)
    _curves(page, diagnosis)
    if diagnosis.verdict == "sick":
        _sick(page, diagnosis)
    elif diagnosis.verdict == "healthy":
        _healthy(page, diagnosis)
    else:
        _open(page, diagnosis)
    page.items("LOOKS", diagnosis.looks, most=8)
    page.items("ADVICE", [f"{advice.text} ({advice.cause})" for advice in diagnosis.advice], most=2)
    page.items("READ AS", diagnosis.notes, most=2)
    if look.why:
        why(page, diagnosis)
    _next(page, diagnosis)
    return str(page)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:
    """The reports one after another, then one line a run: what is on the screen at the end."""
    page = Page(look)
    for diagnosis in diagnoses:
        page.lines += [render(diagnosis, look), "", "-" * look.width, ""]
    for diagnosis in diagnoses:
        word, style = VERDICTS[diagnosis.verdict]
        page.prose(word, f"{diagnosis.source}: {diagnosis.summary}", limit=2, style=style)
    return str(page)


def _verdict(page: Page, diagnosis: Diagnosis) -> None:
    word, style = VERDICTS[diagnosis.verdict]
    page.prose(word, diagnosis.summary, limit=3, style=style)
    details = [diagnosis.kind, counted(diagnosis.steps, "step")]
    if diagnosis.exit:
        details.append(ENDINGS.get(diagnosis.exit, f"ended with {diagnosis.exit}"))
    page.prose("", f"{diagnosis.source} ({', '.join(details)})", limit=2)


def _curves(page: Page, diagnosis: Diagnosis) -> None:
    curves = [curve for curve in (diagnosis.loss, diagnosis.validation) if curve]
    if not curves:
        return
    page.gap()
    rows = 3 if diagnosis.verdict == "sick" and len(curves) == 1 else 2
    onset = diagnosis.onset if diagnosis.verdict != "healthy" else None  # an oddity of a healthy run is no onset
    lines = figure(curves, onset, width=page.look.width - MARGIN, rows=rows, ascii_only=page.look.ascii_only)
    first = "LOSS" if diagnosis.loss else "VAL LOSS"
    page.block(first, lines[:rows])
    page.block("VAL LOSS" if len(curves) == 2 else "", lines[rows : 2 * rows])
    page.block("", lines[2 * rows :])


def _sick(page: Page, diagnosis: Diagnosis) -> None:
    if not diagnosis.hypotheses:
        return
    leading, *rest = diagnosis.hypotheses
    told = set(leading.evidence)
    page.gap()
    page.items("SIGNS", [s.text for s in diagnosis.symptoms if s.severity != "info" and s.text not in told], most=2)
    cause(page, leading)
    further(page, diagnosis.further)
    page.gap()
    others(page, rest)
    _asked(page, diagnosis, most=3)
    if page.look.why:
        page.prose("CHECKED", "; ".join(diagnosis.checked))
        page.prose("NOT SEEN", "; ".join(diagnosis.not_checked))


def _healthy(page: Page, diagnosis: Diagnosis) -> None:
    page.gap()
    page.prose("CHECKED", "; ".join(diagnosis.checked), limit=4)
    page.items("SIGNS", [sign.text for sign in diagnosis.symptoms if sign.severity != "info"], most=2)
    page.prose("NOT SEEN", "; ".join(diagnosis.not_checked), limit=2)


def _open(page: Page, diagnosis: Diagnosis) -> None:
    """Inconclusive or out of scope: what was seen, what it may be, what was asked."""
    page.gap()
    page.items("SIGNS", [sign.text for sign in diagnosis.symptoms], most=4)
    if diagnosis.verdict == "inconclusive":
        page.gap()
        candidates(page, diagnosis.hypotheses)
    page.gap()
    _asked(page, diagnosis, most=4)
    page.prose("NOT SEEN", "; ".join(diagnosis.not_checked), limit=3)


def _asked(page: Page, diagnosis: Diagnosis, most: int) -> None:
    page.items("ASKED", [f"{asked.question} {asked.finding}" for asked in diagnosis.questions], most=most)


def _next(page: Page, diagnosis: Diagnosis) -> None:
    shown = diagnosis.next_tests if page.look.why else diagnosis.next_tests[:1]
    if shown:
        page.gap()
    for test in shown:
        page.block("NEXT", [clean(test.command, page.look.ascii_only)])
        purpose = test.why or (f"tells apart: {', '.join(test.settles)}" if test.settles else "")
        page.prose("", purpose, limit=2)
