"""The diagnosis as Markdown for an issue, a notebook or a chat: the sections of the text report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..diagnosis import Diagnosis
from ..wording import clean
from ._look import Look
from ._overview import MANY, Row, row_of, worst_first
from ._sections import Entry, Section, answer, fitted, more, next_commands
from ._states import STATES, details, judged
from .layout import Page
from .text import why

SUFFIXES = (".md", ".markdown")


def render(diagnosis: Diagnosis, look: Look) -> str:
    def draw(parts: list[Section]) -> list[str]:
        return _lines(diagnosis, parts, look)

    parts = answer(diagnosis)
    return "\n".join(draw(parts) if look.why else fitted(parts, draw, _height))


def _height(lines: list[str]) -> int:
    """Headings and empty lines are space; how a line is folded depends on where it is shown."""
    return sum(bool(line) and not line.startswith("#") for line in lines)


def _lines(diagnosis: Diagnosis, parts: list[Section], look: Look) -> list[str]:
    rest = "" if look.why else more(parts)
    return [
        f"# {judged(diagnosis).word}: {prose(diagnosis.summary)}",
        "",
        f"{code(diagnosis.source)} ({prose(', '.join(details(diagnosis)))})",
        *(line for part in parts for line in _section(part, look)),
        *(["", f"*{prose(rest)}*"] if rest else []),
        *_next(diagnosis),
        *(_arithmetic(diagnosis, look) if look.why else ()),
    ]


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:
    """More than three runs begin with a table of all; their reports follow on request."""
    reports = [render(diagnosis, look) for diagnosis in diagnoses]
    if len(diagnoses) <= MANY:
        return "\n\n---\n\n".join(reports)
    table = render_rows([row_of(diagnosis) for diagnosis in diagnoses], look)
    return "\n\n---\n\n".join([table, *(reports if look.details or look.why else [])])


def render_rows(rows: Sequence[Row], look: Look) -> str:  # noqa: ARG001 (Markdown looks the same everywhere)
    table = ["| run | verdict | condition | since | what was found, and what to do |", "|---|---|---|---|---|"]
    for row in worst_first(rows):
        texts = [row.source, STATES[row.state].word.lower(), row.condition, row.since, row.brief]
        table.append(f"| {' | '.join(map(cell, texts))} |")
    return "\n".join(table)


def _section(part: Section, look: Look) -> Iterator[str]:
    shown = part.shown(look.why)
    if not shown:
        return
    yield from ["", f"## {part.title}", ""]
    alone = len(shown) == 1 and not shown[0].mark
    for entry in shown:
        yield from _entry(entry, "" if alone else "- ")


def _entry(entry: Entry, head: str) -> Iterator[str]:
    mark = entry.mark.strip()
    head = f"{mark} " if mark.endswith(".") else head
    share = f"**{prose(mark)}** " if mark.endswith("%") else ""
    place = f" {code(entry.place)}" if entry.place else ""
    yield f"{head}{share}{prose(entry.text)}{place}"
    indent = " " * len(head)
    yield from [*([""] if entry.below and not head else []), *(f"{indent}- {prose(text)}" for text in entry.below)]
    if entry.code:
        block = fenced(entry.code, "diff" if entry.diff else "python")
        yield from ["", *(f"{indent}{line}".rstrip() for line in block), ""]


def _next(diagnosis: Diagnosis) -> Iterator[str]:
    for i, (command, purpose) in enumerate(next_commands(diagnosis)):
        yield from ["", *(["## Next", ""] if i == 0 else [])]
        yield from [*fenced([command], "sh"), *(["", prose(purpose)] if purpose else [])]


def _arithmetic(diagnosis: Diagnosis, look: Look) -> Iterator[str]:
    page = Page(replace(look, colour=False))
    why(page, diagnosis)
    yield from ["", "## Why", "", *fenced(str(page).splitlines(), "")]


def prose(text: str) -> str:
    """Text escaped so that Markdown shows it unchanged. Spans between backticks remain code."""
    flat = " ".join(clean(text).split())
    parts = re.split(r"(`[^`]+`)", flat)  # every second part is a code span
    return "".join(part if i % 2 else _escaped(part) for i, part in enumerate(parts))


def _escaped(text: str) -> str:
    """Escape only what Markdown would interpret. An underscore inside a word is harmless and stays."""
    text = re.sub(r"([\\*<`]|~(?=~)|(?<![^\W_])_|_(?![^\W_])|\[(?=[^\]]*\]\()|&(?=#?\w+;))", r"\\\1", text)
    text = re.sub(r"^([#>+-])", r"\\\1", text)
    return re.sub(r"^(\d+)(?=[.)])", r"\1\\", text)  # a number would start a list: escape the character after it


def cell(text: str) -> str:
    return prose(text).replace("|", r"\|")


def code(text: str) -> str:
    """A code span that works for any backticks in the text."""
    flat = " ".join(clean(text).split())
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    pad = " " if flat.startswith("`") or flat.endswith("`") or not flat else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fenced(lines: Sequence[str], language: str) -> list[str]:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *(clean(line) for line in lines), fence]
