"""The comparison for a terminal: the answer first, then the tables, folded to the width."""

from __future__ import annotations

from collections.abc import Sequence

from ...comparison import Comparison, Entry, shown
from ...wording import clean, counted, percent
from .._look import Look
from ..layout import Page, cells
from . import _cells

FIRST, LAST = 20, 5  # of many runs, the best and the worst are shown
LONGEST_NAME = 28
LONGEST_CELL = 32
GAP = 2


def render(comparison: Comparison, look: Look) -> str:
    page = Page(look)
    order = "best first" if comparison.ranked else "by name"
    page.prose("COMPARED", f"{counted(len(comparison.entries), 'run')} by {comparison.metric}, {order}")
    page.gap()
    for i, sentence in enumerate(comparison.statement):
        page.prose("" if i else "ANSWER", sentence)
    shown_entries, left_out = _shown(comparison.entries, look)
    page.gap()
    _results(page, comparison, shown_entries)
    if comparison.differing:
        page.gap()
        _settings(page, comparison, shown_entries)
    if left_out:
        page.lines.append(f"({left_out} runs between these are not shown; --all shows them)")
    page.gap()
    _effects(page, comparison)
    page.items("SAME", _cells.duplicate_sentences(comparison), most=4)
    page.items("NOTE", comparison.notes, most=4)
    page.items("LEFT OUT", [f"{source}: {reason}" for source, reason in comparison.not_compared], most=4)
    return str(page)


def _shown(entries: Sequence[Entry], look: Look) -> tuple[list[tuple[int, Entry]], int]:
    numbered = list(enumerate(entries, 1))
    if look.why or len(numbered) <= FIRST + LAST:
        return numbered, 0
    return numbered[:FIRST] + numbered[-LAST:], len(numbered) - FIRST - LAST


def _results(page: Page, comparison: Comparison, entries: list[tuple[int, Entry]]) -> None:
    headings = [
        "run",
        "best",
        "at step",
        "final",
        *_cells.heading_reached(comparison),
        "stability",
        "diagnosis",
    ]
    rows = [
        [
            entry.name,
            _cells.value(entry.best),
            _cells.count(entry.best_step, "-"),
            _cells.final(entry),
            *([] if comparison.level is None else [_cells.count(entry.reached)]),
            entry.outcome.stability,
            _cells.diagnosis(entry),
        ]
        for _, entry in entries
    ]
    _table(page, headings, rows, _places(comparison, entries))


def _settings(page: Page, comparison: Comparison, entries: list[tuple[int, Entry]]) -> None:
    page.lines.append(page.styled("Settings that differ", "bold"))
    rows = [[entry.name, *(shown(entry.settings.get(name)) for name in comparison.differing)] for _, entry in entries]
    _table(page, ["run", *comparison.differing], rows, _places(comparison, entries))


def _places(comparison: Comparison, entries: list[tuple[int, Entry]]) -> list[str]:
    """The rank of each run; none where runs are not ranked."""
    return [str(place) if comparison.ranked else "" for place, _ in entries]


def _table(page: Page, headings: list[str], rows: list[list[str]], places: list[str]) -> None:
    """Columns side by side as far as the page is wide; the others below, with the run's number and name again."""
    ascii_only = page.look.ascii_only
    width = page.look.width
    texts = [[clean(cell, ascii_only) for cell in row] for row in [headings, *rows]]
    widths = [
        min(max(cells(row[i]) for row in texts), LONGEST_CELL if i else LONGEST_NAME) for i in range(len(headings))
    ]
    number = max(map(len, places), default=0)
    number += bool(number)
    start = number + widths[0]
    blocks: list[list[int]] = [[]]
    used = start
    for i in range(1, len(headings)):
        if blocks[-1] and used + GAP + widths[i] > width:
            blocks.append([])
            used = start
        blocks[-1].append(i)
        used += GAP + widths[i]
    for place, block in enumerate(blocks):
        if place:
            page.lines.append("")
        # The last column may take what is left of the line: a cause's name is worth more than empty space.
        room = width - start - sum(GAP + widths[i] for i in block[:-1]) - GAP
        widths[block[-1]] = max(widths[block[-1]], min(room, max(cells(row[block[-1]]) for row in texts)))
        for row, text in enumerate(texts):
            label = f"{places[row - 1]} " if row and places[row - 1] else ""
            line = label.rjust(number) + _fit(text[0], widths[0], ascii_only)
            for i in block:
                right = _is_number(texts, i)
                line += " " * GAP + _fit(text[i], widths[i], ascii_only, right=right)
            page.lines.append(page.styled(line.rstrip(), "dim") if not row else line.rstrip())


def _is_number(texts: list[list[str]], column: int) -> bool:
    return all(row[column][:1] in "-.0123456789Nn" for row in texts[1:] if row[column])


def _fit(text: str, width: int, ascii_only: bool, *, right: bool = False) -> str:
    """Cut in the middle when too long: both ends of a name tell runs apart."""
    if cells(text) > width:
        mark = "~" if ascii_only else "…"
        keep = width - 1
        text = text[: keep - keep // 2] + mark + (text[-(keep // 2) :] if keep // 2 else "")
    padding = " " * max(0, width - cells(text))
    return padding + text if right else text + padding


def _effects(page: Page, comparison: Comparison) -> None:
    tested = [effect for effect in comparison.effects if effect.p_value is not None]
    lines = [
        f"{' and '.join(effect.settings)}: {percent(effect.share)} of the differences in rank, p = {effect.p_value:.2g}"
        + (f", confounded with {' and '.join(effect.rival)}" if effect.rival else "")
        for effect in tested
    ]
    page.items("SETTINGS", lines, most=6)
