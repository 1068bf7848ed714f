"""The comparison as text for a terminal: the answer first, then tables wrapped to the terminal's width."""

from __future__ import annotations

from collections.abc import Sequence

from ...comparison import Comparison, Entry, shown
from ...wording import clean, counted, percent
from .._look import Look
from ..layout import GAP, Page, cells, row
from . import _cells

FIRST, LAST = 20, 5  # if there are more runs, only this many of the best and of the worst are shown
LONGEST_NAME = 28
LONGEST_CELL = 32
VERDICT_STYLES = {"sick": "red", "healthy": "green"}


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
    _table(page, headings, rows, _places(comparison, entries), [entry.outcome.verdict for _, entry in entries])


def _settings(page: Page, comparison: Comparison, entries: list[tuple[int, Entry]]) -> None:
    page.lines.append(page.styled("Settings that differ", "bold"))
    rows = [[entry.name, *(shown(entry.settings.get(name)) for name in comparison.differing)] for _, entry in entries]
    _table(page, ["run", *comparison.differing], rows, _places(comparison, entries), [""] * len(rows))


def _places(comparison: Comparison, entries: list[tuple[int, Entry]]) -> list[str]:
    """The rank of each run; empty if the runs are not ranked."""
    return [str(place) if comparison.ranked else "" for place, _ in entries]


def _table(page: Page, headings: list[str], rows: list[list[str]], places: list[str], verdicts: Sequence[str]) -> None:
    """A table. Columns that do not fit the page's width follow in a second block, with the run's number and name again.

    The last column has the colour of the run's verdict.
    """
    ascii_only = page.look.ascii_only
    width = page.look.width
    texts = [[clean(cell, ascii_only) for cell in cells_] for cells_ in [headings, *rows]]
    widths = [
        min(max(cells(text[i]) for text in texts), LONGEST_CELL if i else max(LONGEST_NAME, width // 3))
        for i in range(len(headings))
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
        # The last column may take the rest of the line, so that a long cause fits.
        room = width - start - sum(GAP + widths[i] for i in block[:-1]) - GAP
        widths[block[-1]] = max(widths[block[-1]], min(room, max(cells(text[block[-1]]) for text in texts)))
        sizes = [widths[i] for i in (0, *block)]
        right = [False, *(_is_number(texts, i) for i in block)]
        for i, text in enumerate(texts):
            label = f"{places[i - 1]} " if i and places[i - 1] else ""
            lines = row([text[k] for k in (0, *block)], sizes, right)
            lines = [label.rjust(number) + lines[0], *(" " * number + line for line in lines[1:])]
            if not i:
                lines = [page.styled(line, "dim") for line in lines]
            elif (style := VERDICT_STYLES.get(verdicts[i - 1])) and block[-1] == len(headings) - 1:
                end = len(lines[0]) - len(text[-1])
                lines[0] = lines[0][:end] + page.styled(lines[0][end:], style)
            page.lines += lines


def _is_number(texts: list[list[str]], column: int) -> bool:
    return all(row[column][:1] in "-.0123456789Nn" for row in texts[1:] if row[column])


def _effects(page: Page, comparison: Comparison) -> None:
    tested = [effect for effect in comparison.effects if effect.p_value is not None]
    lines = [
        f"{' and '.join(effect.settings)}: {percent(effect.share)} of the differences in rank, p = {effect.p_value:.2g}"
        + (f", confounded with {' and '.join(effect.rival)}" if effect.rival else "")
        for effect in tested
    ]
    page.items("SETTINGS", lines, most=6)
