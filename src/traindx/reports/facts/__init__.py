"""The lab report: as text a row for each quantity, the most unusual question first, then the wiring; and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Any

from ...facts import WIRING, Fact, Reference, percentile_words, range_words, shown, view
from ...record import Run
from ...signs.questions import TOPICS
from ...wording import clean, counted
from .._look import Look
from ..json import fact_object, picked
from ..layout import GAP, Page, fold, row

SCHEMA_ID = "traindx.facts/1"


def as_object(run: Run, facts: Sequence[Fact], reference: Reference) -> dict[str, Any]:
    """A fact has the shape that it has in `diagnosis.schema.json`."""
    return {
        "schema": SCHEMA_ID,
        "run": picked(run, "source kind steps"),
        "reference": {**dict(reference.about), **({"note": reference.note} if reference.note else {})},
        "facts": [fact_object(fact) for fact in facts],
    }


LINES = 60  # of a report that is not asked for in full
MOST_WIRING = 24  # of them, where there is so much wiring
WIDTHS = (2, 10, 16, 5, 4)  # flag, value, healthy range, percentile, n
NARROWEST, WIDEST = 20, 72  # the column with the quantity
COLOURS = {"HH": "red", "LL": "red", "H": "yellow", "L": "yellow"}
TITLES = ("", "", "value", "healthy 5-95 %", "%ile", "n")


def page(run: Run, facts: Sequence[Fact], reference: Reference, look: Look, *, every: bool = False) -> str:
    """At most `LINES` lines, unless `every` fact is wanted."""
    sheet = Page(look)
    measured = [fact for fact in facts if fact.question != WIRING]
    wiring = _wiring([fact for fact in facts if fact.question == WIRING], look)
    _head(sheet, run, measured, reference)
    cut = wiring if every else wiring[: _fitting(map(len, wiring), MOST_WIRING)]
    room = LINES - len(sheet.lines) - sum(map(len, cut)) - 5
    chosen = measured if every else measured[: _fitting(_heights(measured, look), room)]
    _table(sheet, chosen)
    if cut:
        sheet.gap()
        sheet.lines += [sheet.styled("WIRING", "bold"), *(line for lines in cut for line in lines)]
    if len(chosen) + len(cut) < len(measured) + len(wiring):
        left = counted(len(measured) + len(wiring) - len(chosen) - len(cut), "more fact")
        sheet.lines += ["", sheet.styled(f"({left} with --all)", "dim")]
    return str(sheet)


def _head(page: Page, run: Run, measured: Sequence[Fact], reference: Reference) -> None:
    unusual = sum(bool(fact.flag) for fact in measured)
    page.prose("FACTS", f"{run.source} ({run.kind}, {counted(run.steps, run.step_unit)})")
    known = sum(fact.reference is not None for fact in measured)
    said = f"{len(measured)} quantities measured, {known} with a reference, {unusual} outside its 5-95 %"
    page.prose("", said if measured else "nothing was measured that a range applies to")
    sources = (reference.about.get("sources") or {}).items()
    behind = ", ".join(f"{name} ({of['runs']})" for name, of in sources if of.get("view", view(run)) == view(run))
    if behind:
        page.prose("REFERENCE", f"healthy runs: {behind}")
    if reference.note:
        page.prose("" if behind else "REFERENCE", reference.note)
    page.gap()


def _rows(fact: Fact, look: Look) -> list[str]:
    place = f" ({fact.where})" if fact.where else ""
    known = range_words(*fact.reference, fact.unit or "") if fact.reference else "-"
    cells = (
        fact.flag or "", clean(f"{fact.name}{place}", look.ascii_only),
        clean(shown(fact.value, fact.unit), look.ascii_only), clean(known, look.ascii_only), percentile_words(fact),
        "" if fact.n is None else str(fact.n),
    )  # fmt: skip
    return row(cells, _widths(look), (False, False, True, True, True, True))


def _widths(look: Look) -> list[int]:
    flag, *others = WIDTHS
    return [flag, min(WIDEST, max(NARROWEST, look.width - sum(WIDTHS) - GAP * len(WIDTHS))), *others]


def _heights(facts: Sequence[Fact], look: Look) -> Iterator[int]:
    """The lines of each fact, with the title of a question that it is the first of."""
    questions: set[str] = set()
    for fact in facts:
        yield len(_rows(fact, look)) + (fact.question not in questions)
        questions.add(fact.question)


def _fitting(heights: Iterable[int], room: int) -> int:
    """How many items of these heights fit into so many lines."""
    return sum(1 for _ in takewhile(lambda used: used <= room, accumulate(heights)))


def _table(page: Page, facts: Sequence[Fact]) -> None:
    if facts:
        page.lines += [page.styled(line, "dim") for line in row(TITLES, _widths(page.look), [i > 1 for i in range(6)])]
    for question in dict.fromkeys(fact.question for fact in facts):
        page.lines.append(page.styled(TOPICS.get(question, question).upper(), "bold"))
        for fact in facts:
            if fact.question == question:
                lines = _rows(fact, page.look)
                style = COLOURS.get(fact.flag or "")
                page.lines += [page.styled(line, style) for line in lines] if style else lines


def _wiring(facts: Sequence[Fact], look: Look) -> list[list[str]]:
    """The lines of each fact."""
    return [
        [
            ("- " if i == 0 else "  ") + line
            for i, line in enumerate(fold(clean(f.text, look.ascii_only), look.width - 2))
        ]
        for f in facts
    ]
