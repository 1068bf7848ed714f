"""The comparison as text for a terminal: the answer first, then tables wrapped to the terminal's width.

The texts in the cells are shared by all formats.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...comparison import Comparison, Entry, shown
from ...wording import clean, counted, listed, num4, percent, probability
from .._look import Look
from .._sections import Entry as Told
from .._sections import Section, lines
from ..layout import GAP, Page, cells, row
from ..text import page_of

VERDICTS = {"inconclusive": "unclear", "out-of-scope": "out of scope"}  # other verdicts are shown as they are
CAUSES = {"unknown": "unknown cause"}


def value(found: float | None) -> str:
    return "-" if found is None else num4(found)


def final(entry: Entry) -> str:
    """The final value, or NaN."""
    return "NaN" if entry.final is None else value(entry.final)


def count(steps: int | None, missing: str = "never") -> str:
    return missing if steps is None else f"{steps:,}"


def diagnosis(entry: Entry) -> str:
    outcome = entry.outcome
    if outcome.condition and outcome.verdict != "healthy":
        return outcome.condition
    if outcome.cause:
        return f"{CAUSES.get(outcome.cause, outcome.cause)} {probability(outcome.confidence)}"
    return VERDICTS.get(outcome.verdict, outcome.verdict)


def condition_sentences(comparison: Comparison) -> list[str]:
    """One sentence for each condition: which runs are in it, and since when. First what makes runs sick, then what is
    common."""
    runs: dict[str, list[str]] = {}
    bad = set()
    for entry in comparison.entries:
        outcome = entry.outcome
        if outcome.condition:
            since = "" if outcome.since is None else f" (since {outcome.step_unit} {outcome.since})"
            runs.setdefault(outcome.condition_title, []).append(f"{entry.name}{since}")
            if outcome.bad:
                bad.add(outcome.condition_title)
    ordered = sorted(runs.items(), key=lambda item: (item[0] not in bad, -len(item[1])))
    return [f"{title}: {listed(names, 6)}." for title, names in ordered]


def heading_reached(comparison: Comparison) -> list[str]:
    """The heading of the column "steps to level"; empty if the runs share no level because they are not ranked."""
    return [] if comparison.level is None else [f"steps to {value(comparison.level)}"]


def duplicate_sentences(comparison: Comparison) -> list[str]:
    """One sentence about each group of runs with equal curves."""
    sentences = []
    for group in comparison.duplicates:
        names = listed(group.names, 5)
        alike = "the same curve to the last digit" if group.identical else "nearly the same curve"
        reason = (
            "their settings differ, so a setting did not take effect or a log was copied"
            if group.settings_differ
            else "count them as one run: a copy, or a repeat with the same seed"
        )
        sentences.append(f"{names}: {alike}; {reason}.")
    return sentences


FIRST, LAST = 20, 5  # if there are more runs, only this many of the best and of the worst are shown
LONGEST_NAME = 28
LONGEST_CELL = 32
VERDICT_STYLES = {"sick": "red", "healthy": "green"}


def render(comparison: Comparison, look: Look) -> str:
    """What is said of the runs above and below the tables."""
    order = "best first" if comparison.ranked else "by name"
    above = [
        Section("COMPARED", [Told(f"{counted(len(comparison.entries), 'run')} by {comparison.metric}, {order}")]),
        Section("ANSWER", lines(comparison.statement, ""), apart=True),
        Section("CONDITIONS", lines(condition_sentences(comparison)), 6),
    ]
    below = [
        Section("SETTINGS", lines(_effects(comparison)), 6),
        Section("SAME", lines(duplicate_sentences(comparison)), 4),
        Section("NOTE", lines(comparison.notes), 4),
        Section("LEFT OUT", lines(f"{source}: {reason}" for source, reason in comparison.not_compared), 4),
    ]
    parts = (page_of(above, look, "--all"), _tables(comparison, look), page_of(below, look, "--all"))
    return "\n\n".join(part for part in parts if part)


def _tables(comparison: Comparison, look: Look) -> str:
    page = Page(look)
    entries, left_out = _shown(comparison.entries, look)
    _results(page, comparison, entries)
    if comparison.differing:
        page.gap()
        _settings(page, comparison, entries)
    if left_out:
        page.lines.append(f"({left_out} runs between these are not shown; --all shows them)")
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
        *heading_reached(comparison),
        "stability",
        "diagnosis",
    ]
    rows = [
        [
            entry.name,
            value(entry.best),
            count(entry.best_step, "-"),
            final(entry),
            *([] if comparison.level is None else [count(entry.reached)]),
            entry.outcome.stability,
            diagnosis(entry),
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


def _effects(comparison: Comparison) -> list[str]:
    return [
        f"{' and '.join(effect.settings)}: {percent(effect.share)} of the differences in rank, p = {effect.p_value:.2g}"
        + (f", confounded with {' and '.join(effect.rival)}" if effect.rival else "")
        for effect in comparison.effects
        if effect.p_value is not None
    ]
