"""Turns the Markdown of the reference pages into plain text for a terminal: prose is wrapped, code is kept."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import zip_longest

from ..reports.layout import GAP, row

INDENT = "    "
_LIST_ITEM = re.compile(r"(- |\d+\. )")
_NARROWEST = 8  # the minimum width of a column


def plain(markdown: str, width: int) -> str:
    """The page as text of at most `width` columns; only lines of code may be longer."""
    lines: list[str] = []
    before = ""
    for kind, block in _blocks(markdown):
        if not (kind == before == "list"):
            lines.append("")
        lines.extend(_rendered(kind, block, width))
        before = kind
    return "\n".join(lines).strip("\n") + "\n"


def _blocks(markdown: str) -> Iterator[tuple[str, list[str]]]:
    """The page cut into headings, code, preformatted lines, tables, list items and paragraphs."""
    block: list[str] = []
    kind = ""
    fenced = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            if block or fenced:
                yield kind, block
            block, fenced = [], not fenced
            kind = "code" if fenced else ""
            continue
        found = "code" if fenced else _kind(line, kind)
        starts = found in ("heading", "item") or found != kind
        if starts and block and not fenced:
            yield kind, block
            block = []
        kind = "list" if found == "item" else found
        if found:
            block.append(line)
    if block:
        yield kind, block


def _kind(line: str, before: str) -> str:
    """The kind of block that a line outside of fences belongs to; empty for a blank line."""
    if not line.strip():
        return ""
    if line.startswith("#"):
        return "heading"
    if line.startswith("|") and before != "prose":
        return "table"
    if _LIST_ITEM.match(line):
        return "item"
    if before == "list":
        return "list"
    return "formatted" if line.startswith(INDENT) else "prose"


def _rendered(kind: str, block: list[str], width: int) -> list[str]:
    if kind == "heading":
        text = _unmarked(block[0].lstrip("# "))
        return [text, ("=" if block[0].startswith("# ") else "-") * len(text)]
    if kind == "code":
        return [INDENT + part if part else "" for line in block for part in _comment_above(line, width - len(INDENT))]
    if kind == "formatted":
        return block
    if kind == "table":
        return _table(block, width)
    text = _unmarked(" ".join(line.strip() for line in block))
    marker = _LIST_ITEM.match(text) if kind == "list" else None
    hanging = " " * len(marker[0]) if marker else ""
    return _wrapped(text, width, hanging)


def _unmarked(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", r"\1\2", text).replace("`", "")


def _wrapped(text: str, width: int, hanging: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=hanging, break_on_hyphens=False) or [""]


def _comment_above(line: str, width: int) -> list[str]:
    """A line of code. If its comment makes it too long, the comment goes above it."""
    code, mark, comment = line.partition("  # ")
    if len(line) <= width or not mark or not code.strip():
        return [line]
    indent = " " * (len(code) - len(code.lstrip()))
    above = textwrap.wrap(comment, width, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
    return [*above, code.rstrip()]


def _table(block: list[str], width: int) -> list[str]:
    """A table whose widest columns are narrowed until it fits, with a line under the header."""
    rows = [[_unmarked(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in block]
    rows = [cells for cells in rows if not all(set(cell) <= set("-: ") for cell in cells)]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    while sum(widths) + GAP * (len(widths) - 1) > width and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    head, *rest = (row(cells, widths[: len(cells)]) for cells in rows)
    return [*head, (" " * GAP).join("-" * size for size in widths), *(line for lines in rest for line in lines)]
