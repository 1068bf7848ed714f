"""The diagnosis as text for a terminal or a log file: readable at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from ..diagnosis import Diagnosis, NextTest
from ..signs import Sign
from ..wording import clean, counted
from ._hypotheses import additional, alternatives, candidates, cause, solved, stands_out
from ._look import Look
from ._overview import command_for, overview
from ._treatment import treated
from ._why import why
from .layout import Page, figure

SUFFIXES = (".txt", ".log")
VERDICTS = {
    "sick": ("SICK", "red"),
    "healthy": ("HEALTHY", "green"),
    "suspected": ("SUSPECTED", "yellow"),
    "inconclusive": ("UNCLEAR", "yellow"),
    "out-of-scope": ("OUT OF SCOPE", "yellow"),
}
SEVERITIES = {"critical": "red", "warning": "yellow", "info": None}
ENDINGS = {
    "ok": "ended normally",
    "running": "still running",
    "exception": "ended with an exception",
    "killed": "was killed",
}


def render(diagnosis: Diagnosis, look: Look) -> str:
    page = Page(look)
    _verdict(page, diagnosis)
    _curves(page, diagnosis)
    if diagnosis.treatment is not None:
        treated(page, diagnosis.treatment, diagnosis.summary)
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
    """The reports one after another, then a table of all runs, which stays on the screen."""
    page = Page(look)
    for diagnosis in diagnoses:
        page.lines += [render(diagnosis, look), "", "-" * look.width, ""]
    overview(page, diagnoses, [_word(diagnosis) for diagnosis in diagnoses])
    if command := command_for(diagnoses):
        page.gap()
        page.prose("NEXT", "what differs between these runs, and which is best")
        page.block("", [page.styled(clean(command, look.ascii_only), "bold")])
    return str(page)


def _word(diagnosis: Diagnosis) -> tuple[str, str]:
    return VERDICTS["suspected" if diagnosis.suspected else diagnosis.verdict]


def _verdict(page: Page, diagnosis: Diagnosis) -> None:
    word, style = _word(diagnosis)
    page.prose(word, diagnosis.summary, style=style)
    if diagnosis.kind == "interview":
        if diagnosis.verdict != "out-of-scope":
            page.prose("", "This is based on your answers; a measurement may show something else.")
        page.items("DO NOW", diagnosis.do_now, most=3)
        return
    details = [diagnosis.kind, counted(diagnosis.steps, diagnosis.step_unit)]
    if diagnosis.exit:
        details.append(ENDINGS.get(diagnosis.exit, f"ended with {diagnosis.exit}"))
    page.prose("", f"{diagnosis.source} ({', '.join(details)})")
    page.items("DO NOW", diagnosis.do_now, most=3, marks=[style] * 3)


def _curves(page: Page, diagnosis: Diagnosis) -> None:
    curves = [curve for curve in (diagnosis.loss, diagnosis.validation) if curve]
    if not curves:
        return
    page.gap()
    rows = 3 if diagnosis.verdict == "sick" and len(curves) == 1 else 2
    onset = diagnosis.onset if diagnosis.verdict != "healthy" else None
    look, unit = page.look, diagnosis.step_unit
    lines = figure(curves, onset, width=look.width - page.margin, rows=rows, ascii_only=look.ascii_only, unit=unit)
    first = "LOSS" if diagnosis.loss else "VAL LOSS"
    page.block(first, lines[:rows])
    page.block("VAL LOSS" if len(curves) == 2 else "", lines[rows : 2 * rows])
    page.block("", lines[2 * rows :])
    if diagnosis.terms:
        page.prose("TERMS", diagnosis.terms)


def _explained(page: Page, diagnosis: Diagnosis) -> None:
    """Sick or suspected: the leading cause in full, then the others."""
    if not diagnosis.hypotheses:
        return
    leading, *rest = diagnosis.hypotheses
    told = {*leading.evidence, diagnosis.summary}
    page.gap()
    _signs(page, [s for s in diagnosis.symptoms if s.severity != "info" and s.text not in told], diagnosis, most=3)
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
    _signs(page, [sign for sign in diagnosis.symptoms if sign.severity != "info"], diagnosis, most=2)
    _blind_spots(page, diagnosis)


def _open(page: Page, diagnosis: Diagnosis) -> None:
    """Inconclusive or out of scope: the signs, possible causes and the questions asked."""
    page.gap()
    _signs(page, diagnosis.symptoms, diagnosis, most=4)
    if diagnosis.verdict == "inconclusive":
        page.gap()
        candidates(page, diagnosis.hypotheses)
        page.gap()
        _asked(page, diagnosis, most=4)
        _blind_spots(page, diagnosis)


def _signs(page: Page, signs: Sequence[Sign], diagnosis: Diagnosis, most: int) -> None:
    """The signs that the summary does not mention; the bullet's colour shows the severity."""
    shown = [sign for sign in signs if sign.text not in diagnosis.summary]
    page.items("SIGNS", [sign.text for sign in shown], most=most, marks=[SEVERITIES[sign.severity] for sign in shown])


def _asked(page: Page, diagnosis: Diagnosis, most: int) -> None:
    """Questions whose answers are not shown above."""
    told = {sign.text for sign in diagnosis.symptoms}
    asked = [a for a in diagnosis.questions if a.finding not in told and a.finding not in diagnosis.summary]
    page.items("ASKED", [f"{a.question} {a.finding}" for a in asked], most=most)


def _blind_spots(page: Page, diagnosis: Diagnosis) -> None:
    page.items("NOT MEASURED", diagnosis.not_measured, most=4)


def _next(page: Page, diagnosis: Diagnosis) -> None:
    """What to do next. The last line is a command to copy."""
    page.gap()
    tests = list(diagnosis.next_tests if page.look.why else diagnosis.next_tests[:1])
    for test in reversed(tests[1:]):
        page.prose("OR", _purpose(test))
        page.block("", [clean(test.command, page.look.ascii_only)])
    command, purpose = (tests[0].command, _purpose(tests[0])) if tests else _otherwise(diagnosis)
    if command:
        page.prose("NEXT", purpose)
        page.block("" if purpose else "NEXT", [page.styled(clean(command, page.look.ascii_only), "bold")])


def _purpose(test: NextTest) -> str:
    return test.why or (f"tells apart: {', '.join(test.settles)}" if test.settles else "")


def _otherwise(diagnosis: Diagnosis) -> tuple[str, str]:
    """The command and its purpose for a run that needs no further test: explain its cause, or show its curves."""
    if diagnosis.verdict == "sick" and diagnosis.hypotheses and diagnosis.leading.cause not in ("healthy", "unknown"):
        return f"traindx explain {diagnosis.leading.cause}", "why this happens, how to fix it and how to verify the fix"
    if diagnosis.source.endswith(".tdx"):
        return f"traindx report {quote(diagnosis.source)}", "all curves and layers on one page, report.html"
    return "", ""
