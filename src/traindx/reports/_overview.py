"""The table of several runs, worst first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from shlex import quote
from typing import NamedTuple

from ..diagnosis import Diagnosis
from ..wording import clean
from ._findings import foremost, leading, told_in_full
from ._states import STATES, judged
from .layout import GAP, Page, cells
from .layout import row as line

MANY = 3  # more runs are shown as a table first
CROWD = 20  # of more runs the table counts the conditions and says what was found, not what to do
MOST_NAMED = 6  # runs or folders in one command
VERDICT = 12  # terminal columns of the longest verdict
SINCE = 12
LONGEST_NAME = 48
ORDER = ("sick", "out-of-scope", "suspected", "inconclusive", "healthy")
_CLAUSE = re.compile(r"; | \(|, while |, with |, found | until ")  # where the first clause of a finding ends

_PART = re.compile(r" \((?:run \d+ of|trial) \d+\)$")  # of the name of one run in a file of several


class Row(NamedTuple):
    """What the table says of a run: plain values, so that a row can be kept and sent between processes."""

    order: tuple[int, bool, float]  # sick runs first, those with nothing to say last
    source: str
    state: str  # a key of `STATES`
    condition: str
    since: str
    brief: str
    steps: int
    onset: int | None  # the step that `since` names


def row_of(diagnosis: Diagnosis) -> Row:
    return Row(
        order=_order(diagnosis),
        source=diagnosis.source,
        state=judged(diagnosis).key,
        condition=_condition(diagnosis),
        since="" if (onset := _onset(diagnosis)) is None else f"{diagnosis.step_unit} {onset}",
        brief=_brief(diagnosis),
        steps=diagnosis.steps,
        onset=onset,
    )


def worst_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda one: (one.order, one.source))


def overview(page: Page, rows: Sequence[Row]) -> None:
    """A table of the runs, worst first.

    What was found and what to do stand below a run, so that no column has to be narrow; a healthy run needs neither.
    """
    width, plain = page.look.width, page.look.ascii_only
    rows = worst_first(rows)
    folder = _common_folder([row.source for row in rows])
    names = [clean(row.source[len(folder) :], plain) for row in rows]
    counts = Counter(STATES[row.state].word.lower() for row in rows)
    place = f" in {folder}" if folder else ""
    found = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    page.prose("RUNS", f"{len(rows)}{place}: {found}")
    crowd = len(rows) > CROWD
    if crowd:
        page.prose("CONDITIONS", conditions_in(rows))
    name = min(max(map(cells, names)), max(16, width // 2 - 10), LONGEST_NAME)
    widths = [VERDICT, name, max(10, width - VERDICT - name - SINCE - 3 * GAP), SINCE]
    page.lines.append(page.styled(line(["VERDICT", "RUN", "CONDITION", "SINCE"], widths)[0], "dim"))
    for row, shown in zip(rows, names, strict=True):
        state = STATES[row.state]
        first, *others = line(
            [clean(text, plain) for text in (state.word.upper(), shown, row.condition, row.since)], widths
        )
        page.lines += [page.styled(first[:VERDICT], state.colour) + first[VERDICT:], *others]
        if row.state != "healthy":
            page.prose("", row.brief.partition(". ")[0].rstrip(".") + "." if crowd else row.brief)


def conditions_in(rows: Iterable[Row]) -> str:
    """How many of the runs that are not healthy are in which condition."""
    conditions = Counter(row.condition for row in rows if row.state != "healthy" and row.condition != "-")
    return ", ".join(f"{count} {title}" for title, count in conditions.most_common())


def _common_folder(sources: Sequence[str]) -> str:
    """The folder that all runs lie in, with its separator; empty for a single one."""
    shared = []
    for parts in zip(*(source.split("/")[:-1] for source in sources), strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(f"{parts[0]}/")
    return "".join(shared) if len(set(sources)) > 1 else ""


def _condition(diagnosis: Diagnosis) -> str:
    """The condition or the fault that the headline names; a healthy run's advice; else a dash."""
    if diagnosis.headline.kind == "condition" or (diagnosis.verdict == "healthy" and diagnosis.conditions):
        return leading(diagnosis).title
    return foremost(diagnosis).title if told_in_full(diagnosis) else "-"


def _onset(diagnosis: Diagnosis) -> int | None:
    return diagnosis.marked if diagnosis.verdict in ("sick", "inconclusive") else None


def _brief(diagnosis: Diagnosis) -> str:
    """The number that it rests on and what to do now, each in its first clause; nothing for a healthy run."""
    if diagnosis.verdict == "healthy" and not diagnosis.conditions:
        return ""
    named = leading(diagnosis) if diagnosis.conditions and not told_in_full(diagnosis) else None
    texts = named.evidence if named else foremost(diagnosis).evidence if told_in_full(diagnosis) else ()
    found = _clause(texts[0] if texts else diagnosis.summary)
    moves = [remedy.text for remedy in named.remedies] if named else []
    do = next(iter([*diagnosis.do_now, *moves]), "")
    fix = foremost(diagnosis).fix if told_in_full(diagnosis) else None
    do = fix.summary if fix is not None else do
    return f"{found}. {_clause(do)}." if do else f"{found}."


def _clause(text: str) -> str:
    return _CLAUSE.split(text, maxsplit=1)[0].rstrip(".:,")


def _order(diagnosis: Diagnosis) -> tuple[int, bool, float]:
    state = judged(diagnosis).key
    grave = any(found.grave and found.id == diagnosis.headline.id for found in diagnosis.conditions)
    quiet = not diagnosis.conditions and state == "healthy"
    return ORDER.index(state) + quiet, not grave, -float(diagnosis.headline.confidence)


def file_of(row: Row) -> str:
    """The record or log that holds the run, and maybe others."""
    return _PART.sub("", row.source)


def command_for(rows: Sequence[Row]) -> str:
    """The command that compares the runs, by their files or, if they are many, by their folders.

    Empty if the names do not fit into a command."""
    sources = list(dict.fromkeys(map(file_of, rows)))
    if len(sources) > MOST_NAMED:
        folders = {str(PurePath(source).parent) for source in sources}
        shared = _common_folder(sources)
        sources = sorted(folders) if len(folders) <= MOST_NAMED else [shared] if shared else []
    return f"traindx compare {' '.join(map(quote, sources))}" if sources else ""
