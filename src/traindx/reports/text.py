"""The diagnosis as text for a terminal or a log file: readable at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote

from ..diagnosis import Diagnosis, Hypothesis
from ..wording import clean, listed, probability
from ._look import Look
from ._overview import MANY, Row, command_for, overview, row_of
from ._sections import CHART, Entry, Section, answer, fitted, more, next_commands
from ._states import details, judged
from .layout import Page, figure

LEAST = 0.005  # smaller terms read 0.00


def why(page: Page, diagnosis: Diagnosis) -> None:
    page.gap()
    page.prose(
        "WHY",
        "In log-odds: the prior plus, for every sign, its level (0 normal, 1 unmistakable) times its weight. A "
        "suspicion that one measurement alone speaks for is at most 80 % sure, 50 % where nothing bad was measured.",
    )
    for sign, error in diagnosis.errors.items():
        page.prose("", f"traindx failed to measure {sign}: {error}")
    for found in diagnosis.signs.values():
        if found.values.get("refuted_by"):
            page.prose("", f"{found.id} is not claimed: {found.values['refuted_by']}")
        elif found.raised and found.values.get("unconfirmed"):
            page.prose("", f"{found.id} is a suspicion: not confirmed by {listed(found.values['unconfirmed'])}")
    for hypothesis in diagnosis.hypotheses:
        page.gap()
        if hypothesis.basis == "measured":
            page.prose("", f"{hypothesis.cause}, {probability(hypothesis.confidence)}: as sure as its measurement")
        else:
            page.block("", _sum(hypothesis, page.look.ascii_only))


def _sum(hypothesis: Hypothesis, ascii_only: bool) -> list[str]:
    moves = sorted((m for m in hypothesis.contributions if abs(m.amount) >= LEAST), key=lambda m: -abs(m.amount))
    names = [clean(move.sign, ascii_only) for move in moves]
    column = max([len("prior"), len("score"), *map(len, names)])
    score = hypothesis.prior + sum(move.amount for move in moves)
    return [
        f"{clean(hypothesis.cause, ascii_only)}, {probability(hypothesis.confidence)}",
        f"  {'prior':<{column}} {hypothesis.prior:>+22.2f}",
        *(
            f"  {name:<{column}}  {move.level:4.2f} x {move.weight:+6.2f} {move.amount:>+7.2f}"
            for name, move in zip(names, moves, strict=True)
        ),
        f"  {'score':<{column}} {score:>+22.2f}",
    ]


SUFFIXES = (".txt", ".log")


def render(diagnosis: Diagnosis, look: Look) -> str:
    def draw(parts: list[Section]) -> list[str]:
        return _lines(diagnosis, parts, look)

    parts = answer(diagnosis)
    return "\n".join(draw(parts) if look.why else fitted(parts, draw))


def _lines(diagnosis: Diagnosis, parts: Sequence[Section], look: Look) -> list[str]:
    page = Page(look)
    _headline(page, diagnosis)
    for part in parts:
        if part is CHART:
            _curves(page, diagnosis)
        show(page, part)
    if look.why:
        why(page, diagnosis)
    elif rest := more(parts):
        page.prose("MORE", rest, style="dim")
    _next(page, diagnosis)
    return str(page).splitlines()


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:
    """Up to three runs: the reports, then a table that stays on the screen. More: the table; the reports on request."""
    page = Page(look)
    rows = [row_of(diagnosis) for diagnosis in diagnoses]
    if len(diagnoses) > MANY:
        overview(page, rows)
        if look.details or look.why:
            page.lines += ["", "-" * look.width, ""]
            _reports(page, diagnoses)
        else:
            page.gap()
            page.prose("DETAILS", "name one run, or add --details for all of them", style="dim")
    else:
        _reports(page, diagnoses)
        overview(page, rows)
    _compare(page, rows)
    return str(page)


def render_rows(rows: Sequence[Row], look: Look) -> str:
    """The table of many runs."""
    page = Page(look)
    overview(page, rows)
    page.gap()
    page.prose("DETAILS", "name one run", style="dim")
    _compare(page, rows)
    return str(page)


def _compare(page: Page, rows: Sequence[Row]) -> None:
    if command := command_for(rows):
        page.gap()
        page.prose("NEXT", "what differs between these runs, and which is best")
        page.block("", [page.styled(clean(command, page.look.ascii_only), "bold")])


def _reports(page: Page, diagnoses: Sequence[Diagnosis]) -> None:
    for diagnosis in diagnoses:
        page.lines += [render(diagnosis, page.look), "", "-" * page.look.width, ""]


def page_of(parts: Iterable[Section], look: Look, option: str = "--why") -> str:
    """The sections of another report than a diagnosis. What only `option` shows is counted below each."""
    page = Page(look)
    for part in parts:
        show(page, part)
        if rest := len(part.entries) - len(part.shown(look.why)):
            page.prose("", f"({rest} more with {option})", style="dim")
    return str(page)


def show(page: Page, part: Section) -> None:
    """One section: its label beside the first entry."""
    shown = part.shown(page.look.why)
    if shown and part.apart:
        page.gap()
    for i, entry in enumerate(shown):
        _entry(page, "" if i else part.label, entry)


def _entry(page: Page, label: str, entry: Entry) -> None:
    """Text with its code below it; an entry without text is a command, beside the label."""
    page.prose(label, entry.text, bullet=entry.mark, mark=entry.style)
    indent = " " * len(entry.mark)
    for text in entry.below:
        page.prose("", text, bullet=f"{indent}+ ")
    page.block("", [clean(entry.place, page.look.ascii_only)] if entry.place else [])
    if entry.text:
        page.block("", [_code(page, line, entry.diff) for line in entry.code])
    else:
        page.block(label, [clean(line, page.look.ascii_only) for line in entry.code])


def _code(page: Page, line: str, diff: bool) -> str:
    style = {"+": "added", "-": "removed"}.get(line[:1]) if diff else None
    text = f"  {clean(line, page.look.ascii_only)}"
    return page.styled(text, style) if style else text


def _headline(page: Page, diagnosis: Diagnosis) -> None:
    found = judged(diagnosis)
    page.prose(found.word.upper(), diagnosis.summary, style=found.colour)
    if diagnosis.kind != "interview":
        page.prose("", f"{diagnosis.source} ({', '.join(details(diagnosis))})")
    elif diagnosis.verdict != "out-of-scope":
        page.prose("", "This is based on your answers; a measurement may show something else.")


def _curves(page: Page, diagnosis: Diagnosis) -> None:
    curves = [curve for curve in (diagnosis.loss, diagnosis.validation) if curve]
    if not curves:
        return
    page.gap()
    rows = 3 if diagnosis.verdict == "sick" and len(curves) == 1 else 2
    look, unit = page.look, diagnosis.step_unit
    width = look.width - page.margin
    drawn = figure(curves, diagnosis.marked, width=width, rows=rows, ascii_only=look.ascii_only, unit=unit)
    first = "LOSS" if diagnosis.loss else "VAL LOSS"
    page.block(first, drawn[:rows])
    page.block("VAL LOSS" if len(curves) == 2 else "", drawn[rows : 2 * rows])
    page.block("", drawn[2 * rows :])


def _next(page: Page, diagnosis: Diagnosis) -> None:
    """What to do next. The last line is a command to copy."""
    page.gap()
    tests = next_commands(diagnosis)
    for command, reason in reversed(tests[1:] if page.look.why else []):
        page.prose("OR", reason)
        page.block("", [clean(command, page.look.ascii_only)])
    command, reason = tests[0] if tests else _otherwise(diagnosis)
    if command:
        page.prose("NEXT", reason)
        page.block("" if reason else "NEXT", [page.styled(clean(command, page.look.ascii_only), "bold")])


def _otherwise(diagnosis: Diagnosis) -> tuple[str, str]:
    """The command and its purpose for a run that needs no further test: explain its cause, or show its curves."""
    if diagnosis.verdict == "sick" and diagnosis.headline.kind == "condition":
        return (
            f"traindx explain {diagnosis.headline.id}",
            "what this is, and what may lie behind it",
        )
    if diagnosis.verdict == "sick" and diagnosis.hypotheses and diagnosis.leading.cause not in ("healthy", "unknown"):
        return f"traindx explain {diagnosis.leading.cause}", "why this happens, how to fix it and how to verify the fix"
    if diagnosis.source.endswith(".tdx"):
        return f"traindx report {quote(diagnosis.source)}", "all curves and layers on one page, report.html"
    return "", ""
