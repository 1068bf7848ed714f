"""The table of several runs, one row each, printed last."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from shlex import quote

from ..diagnosis import Diagnosis
from ..wording import clean, counted, probability
from ._hypotheses import stands_out
from .layout import GAP, Page, cells, row

MOST_NAMED = 6  # runs or folders in one command
VERDICT = 12  # terminal columns of the longest verdict
LONGEST_NAME = 48
NARROW = 80  # a narrower terminal has no room for the lengths of the runs


def overview(page: Page, diagnoses: Sequence[Diagnosis], words: Sequence[tuple[str, str]]) -> None:
    """`words` are the verdicts with their colours. The finding takes the rest of the line and wraps."""
    ascii_only, width = page.look.ascii_only, page.look.width
    runs = [clean(diagnosis.source, ascii_only) for diagnosis in diagnoses]
    lengths = [counted(diagnosis.steps, diagnosis.step_unit) for diagnosis in diagnoses]
    name = min(max(map(cells, runs)), max(16, min(LONGEST_NAME, width // 3)))
    columns = {"VERDICT": VERDICT, "RUN": name, "LENGTH": max(map(len, lengths)), "FINDING": 0}
    if width < NARROW:
        del columns["LENGTH"]
    columns["FINDING"] = width - sum(columns.values()) - GAP * (len(columns) - 1)
    widths = list(columns.values())
    page.lines.append(page.styled(row(list(columns), widths)[0], "dim"))
    for diagnosis, (word, style), run, steps in zip(diagnoses, words, runs, lengths, strict=True):
        texts = [word, run, *([steps] if "LENGTH" in columns else []), clean(finding(diagnosis), ascii_only)]
        first, *others = row(texts, widths)
        page.lines += [page.styled(first[:VERDICT], style) + first[VERDICT:], *others]


def command_for(diagnoses: Sequence[Diagnosis]) -> str:
    """The command that compares the runs, by their names or, if they are many, by their folders.

    Empty if one file holds several runs, or if the names do not fit into a command."""
    sources = list(dict.fromkeys(diagnosis.source for diagnosis in diagnoses))
    if len(sources) < len(diagnoses):
        return ""
    if len(sources) > MOST_NAMED:
        folders = {str(PurePath(source).parent) for source in sources}
        sources = sorted(folders) if len(folders) <= MOST_NAMED else []
    return f"traindx compare {' '.join(map(quote, sources))}" if sources else ""


def finding(diagnosis: Diagnosis) -> str:
    """The leading cause if one stands out, else the summary."""
    named = diagnosis.verdict == "sick" or diagnosis.suspected
    if named and diagnosis.hypotheses and stands_out(diagnosis.leading):
        leading = diagnosis.leading
        return f"{leading.title} ({leading.cause}), {probability(leading.confidence)}"
    return diagnosis.summary
