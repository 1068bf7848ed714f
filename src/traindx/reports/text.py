"""The diagnosis as a page for the terminal: readable at 80 columns, without colour, and in a log file."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnosis import Diagnosis
from ..wording import clean, counted
from ._hypotheses import additional, alternatives, candidates, cause, solved, stands_out
from ._look import Look
from ._why import why
from .layout import MARGIN, Page, figure

SUFFIXES = (".txt", ".log")
VERDICTS = {
    "sick": ("SICK", "red"),
    "healthy": ("HEALTHY", "green"),
    "suspected": ("SUSPECTED", "yellow"),
    "inconclusive": ("UNCLEAR", "yellow"),
    "out-of-scope": ("OUT OF SCOPE", "yellow"),
}
ENDINGS = {
    "ok": "ended normally",
    "running": "still running",
    "exception": "ended by an exception",
    "killed": "was killed",
}


def render(diagnosis: Diagnosis, look: Look) -> str:
    page = Page(look)
    _verdict(page, diagnosis)
    _curves(page, diagnosis)
    if diagnosis.verdict == "sick" or diagnosis.suspected:
        _explained(page, diagnosis)
    elif diagnosis.verdict == "healthy":
        _healthy(page, diagnosis)
    else:
        _open(page, diagnosis)
    if diagnosis.similar:
        page.gap()
        page.prose("SIMILAR CASE", f"{solved(diagnosis.similar)} (traindx history show {diagnosis.similar.id})")
    page.items("LOOKS", diagnosis.looks, most=8)
    page.items("ADVICE", [f"{advice.text} ({advice.cause})" for advice in diagnosis.advice], most=2)
    page.items("READ AS", diagnosis.notes, most=3)
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
        word, style = _word(diagnosis)
        page.prose(word, f"{diagnosis.source}: {diagnosis.summary}", style=style)
    return str(page)


def _word(diagnosis: Diagnosis) -> tuple[str, str]:
    return VERDICTS["suspected" if diagnosis.suspected else diagnosis.verdict]


def _verdict(page: Page, diagnosis: Diagnosis) -> None:
    word, style = _word(diagnosis)
    page.prose(word, diagnosis.summary, style=style)
    if diagnosis.kind == "interview":
        if diagnosis.verdict != "out-of-scope":
            page.prose("", "This rests on your answers; a measurement may say otherwise.")
        page.items("DO NOW", diagnosis.do_now, most=3)
        return
    details = [diagnosis.kind, counted(diagnosis.steps, diagnosis.step_unit)]
    if diagnosis.exit:
        details.append(ENDINGS.get(diagnosis.exit, f"ended with {diagnosis.exit}"))
    page.prose("", f"{diagnosis.source} ({', '.join(details)})")
    page.items("DO NOW", diagnosis.do_now, most=3)


def _curves(page: Page, diagnosis: Diagnosis) -> None:
    curves = [curve for curve in (diagnosis.loss, diagnosis.validation) if curve]
    if not curves:
        return
    page.gap()
    rows = 3 if diagnosis.verdict == "sick" and len(curves) == 1 else 2
    onset = diagnosis.onset if diagnosis.verdict != "healthy" else None  # an oddity of a healthy run is no onset
    look, unit = page.look, diagnosis.step_unit
    lines = figure(curves, onset, width=look.width - MARGIN, rows=rows, ascii_only=look.ascii_only, unit=unit)
    first = "LOSS" if diagnosis.loss else "VAL LOSS"
    page.block(first, lines[:rows])
    page.block("VAL LOSS" if len(curves) == 2 else "", lines[rows : 2 * rows])
    page.block("", lines[2 * rows :])


def _explained(page: Page, diagnosis: Diagnosis) -> None:
    """Sick or suspected: the leading cause in full, then the others."""
    if not diagnosis.hypotheses:
        return
    leading, *rest = diagnosis.hypotheses
    told = {*leading.evidence, diagnosis.summary}
    symptoms = [s.text for s in diagnosis.symptoms if s.severity != "info" and s.text not in told]
    page.gap()
    page.items("SIGNS", [text for text in symptoms if text not in diagnosis.summary], most=3)
    if stands_out(leading):
        cause(page, leading)
        additional(page, diagnosis.additional)
        page.gap()
        alternatives(page, rest)
    else:
        page.gap()
        candidates(page, diagnosis.hypotheses)
        page.gap()
        _asked(page, diagnosis, most=3)
    if page.look.why:
        page.items("CHECKED", diagnosis.checked, most=99)
        _blind_spots(page, diagnosis)


def _healthy(page: Page, diagnosis: Diagnosis) -> None:
    page.gap()
    page.items("CHECKED", diagnosis.checked, most=8)
    page.items("SIGNS", [sign.text for sign in diagnosis.symptoms if sign.severity != "info"], most=2)
    _blind_spots(page, diagnosis)


def _open(page: Page, diagnosis: Diagnosis) -> None:
    """Inconclusive or out of scope: what was measured, what it may be, what was asked."""
    page.gap()
    symptoms = [sign.text for sign in diagnosis.symptoms if sign.text not in diagnosis.summary]
    page.items("SIGNS", symptoms, most=4)
    if diagnosis.verdict == "inconclusive":
        page.gap()
        candidates(page, diagnosis.hypotheses)
        page.gap()
        _asked(page, diagnosis, most=4)
        _blind_spots(page, diagnosis)


def _asked(page: Page, diagnosis: Diagnosis, most: int) -> None:
    page.items("ASKED", [f"{asked.question} {asked.finding}" for asked in diagnosis.questions], most=most)


def _blind_spots(page: Page, diagnosis: Diagnosis) -> None:
    page.items("NOT MEASURED", diagnosis.not_measured, most=4)


def _next(page: Page, diagnosis: Diagnosis) -> None:
    shown = diagnosis.next_tests if page.look.why else diagnosis.next_tests[:1]
    if shown:
        page.gap()
    for test in shown:
        page.block("NEXT", [clean(test.command, page.look.ascii_only)])
        purpose = test.why or (f"tells apart: {', '.join(test.settles)}" if test.settles else "")
        page.prose("", purpose)
