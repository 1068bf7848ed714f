"""Collects changes of the project's source files and turns them into one patch."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from symtable import symtable
from typing import TYPE_CHECKING

from ..source_text import LARGEST, encoded
from .diff import unified_diff
from .source import Source, first_line

if TYPE_CHECKING:
    from .project import Project


@dataclass(frozen=True)
class Splice:
    """A replacement of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


class Edits:
    """Changes that belong together. If one of them is refused because it is not safe, none is made."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._splices: dict[Source, list[Splice]] = {}
        self._refused = False

    def __bool__(self) -> bool:
        return bool(self._splices) and not self._refused

    def refuse(self) -> None:
        self._refused = True

    def replace(self, source: Source, node: ast.expr | ast.stmt | ast.keyword, text: str) -> None:
        if source.segment(node) != text:
            self.splice(source, *source.span(node), text)

    def splice(self, source: Source, start: int, end: int, text: str) -> None:
        self._splices.setdefault(source, []).append(Splice(start, end, text.replace("\n", source.newline)))

    def insert_after(self, source: Source, statement: ast.stmt, code: str) -> None:
        """Insert simple statements after a statement, in the same block."""
        if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            self.refuse()
            return
        last = statement.end_lineno or statement.lineno
        start, end = source.span(statement)
        rest = source.text[end : source.starts[last]]
        if _alone_from(source, statement) and not _more_code(rest):
            lines = _indented(code, _indent(source, start))
            at = source.starts[last]
            ended = source.text[:at].endswith(("\n", "\r")) if at else True
            self.splice(source, at, at, lines if ended else "\n" + lines.removesuffix("\n"))
        elif "\n" in code.strip("\n") or hasattr(statement, "body"):
            self.refuse()
        else:
            self.splice(source, end, end, f"; {code.strip()}")

    def insert_before(self, source: Source, statement: ast.stmt, code: str) -> None:
        start = source.span(statement)[0]
        if _alone_from(source, statement):
            at = source.starts[first_line(statement) - 1]
            self.splice(source, at, at, _indented(code, _indent(source, start)))
        elif "\n" in code.strip("\n") or hasattr(statement, "body"):
            self.refuse()
        else:
            self.splice(source, start, start, f"{code.strip()}; ")

    def delete(self, source: Source, statement: ast.stmt) -> None:
        """Remove a statement. The only statement of a block becomes `pass`."""
        last = statement.end_lineno or statement.lineno
        start, end = source.span(statement)
        rest = source.text[end : source.starts[last]]
        if len(source.block_of(statement)) == 1:
            self.splice(source, start, end, "pass")
        elif _alone_from(source, statement) and not _more_code(rest):
            self.splice(source, source.starts[statement.lineno - 1], source.starts[last], "")
        elif match := re.match(r"[ \t]*;[ \t]*", rest):
            self.splice(source, start, end + match.end(), "")
        elif match := re.search(r"[ \t]*;[ \t]*$", source.text[source.starts[statement.lineno - 1] : start]):
            self.splice(source, source.starts[statement.lineno - 1] + match.start(), end, "")
        else:
            self.refuse()

    def unwrap(self, source: Source, block: ast.With) -> None:
        """Remove the head of a block and move its body one level out."""
        body = block.body
        outer, inner = _indent(source, source.span(block)[0]), _indent(source, source.span(body[0])[0])
        first, last = body[0].lineno, block.end_lineno or block.lineno
        if first == block.lineno or not inner.startswith(outer) or _has_long_string(source, first, last):
            self.refuse()
            return
        lines = [source.text[source.starts[n - 1] : source.starts[n]] for n in range(first, last + 1)]
        # A continuation line or a comment that is indented less than its statement keeps its indentation.
        moved = [outer + line[len(inner) :] if line.startswith(inner) else line for line in lines]
        start, end = source.starts[block.lineno - 1], source.starts[last]
        self._splices.setdefault(source, []).append(Splice(start, end, "".join(moved)))

    def changed(self) -> dict[Source, str] | None:
        """Return the new text of each changed file; None if a change was refused or the result does not compile."""
        if not self:
            return None
        result = {}
        for source, splices in self._splices.items():
            text = _applied(source.text, splices)
            if text is None or text == source.text or not source.once(("sound", text), partial(_sound, source, text)):
                return None
            result[source] = text
        return result

    def patch(self) -> str | None:
        """Return the changes as one unified diff relative to the project's folder, or None."""
        changed = self.changed()
        if not changed:
            return None
        return "".join(
            unified_diff(
                source.path.relative_to(self.project.root),
                source.mark + source.text,
                source.mark + text,
                _places(self._splices[source], len(source.mark)),
            )
            for source, text in changed.items()
        )

    def place(self) -> tuple[Source, int] | None:
        """Return the first file that changes, and the number of its first line that changes."""
        changed = self.changed()
        if not changed:
            return None
        source = next(iter(changed))
        first = min(self._splices[source], key=lambda splice: splice.start)
        line = next(
            n for n in range(1, len(source.starts)) if source.starts[n] > first.start or n + 1 == len(source.starts)
        )
        return source, line


def _in_order(splices: Sequence[Splice]) -> list[Splice]:
    return [splice for _, splice in sorted(enumerate(splices), key=lambda item: (item[1].start, item[1].end, item[0]))]


def _applied(text: str, splices: Sequence[Splice]) -> str | None:
    out, position = [], 0
    for splice in _in_order(splices):
        if splice.start < position:
            return None  # two changes overlap
        out.append(text[position : splice.start] + splice.text)
        position = splice.end
    return "".join([*out, text[position:]])


def _places(splices: Sequence[Splice], moved: int) -> list[tuple[int, int, int, int]]:
    """Return which characters of the old text became which of the new one; both begin `moved` characters later."""
    found, longer = [], 0
    for splice in _in_order(splices):
        start, length = splice.start + moved, len(splice.text)
        found.append((start, splice.end + moved, start + longer, start + longer + length))
        longer += length - (splice.end - splice.start)
    return found


def _sound(source: Source, text: str) -> bool:
    """Return whether Python can read and compile the new text, and every name in it is defined where it is used.

    Of a configuration file only numbers change.
    """
    if source.path.suffix != ".py":
        return True
    try:
        known = source.once("undefined names", lambda: _undefined(source.text))
        if len(text) > LARGEST or _undefined(text) - known:
            return False
        compile(text, "<patched>", "exec", dont_inherit=True)
        return bool(encoded(source.mark + text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _undefined(text: str) -> set[tuple[str, str]]:
    """Return the names that a function (or the top level) reads and that nothing defines there or around it."""
    tables = [symtable(text, "<patched>", "exec")]
    for table in tables:
        tables.extend(table.get_children())
    top = {symbol.get_name() for symbol in tables[0].get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    top |= {s.get_name() for table in tables for s in table.get_symbols() if s.is_declared_global() and s.is_assigned()}
    top |= {table.get_name() for table in tables[0].get_children()} | set(dir(builtins)) | {"__file__", "__class__"}
    return {
        (table.get_name(), symbol.get_name())
        for table in tables
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (symbol.is_global() or table is tables[0]) and symbol.get_name() not in top
    }


def _alone_from(source: Source, statement: ast.stmt) -> bool:
    """Return whether there is only white space before the statement on its line."""
    first = first_line(statement)
    start = source.starts[first - 1]
    return not source.text[start : source.span(statement)[0]].strip() or first != statement.lineno


def _more_code(rest: str) -> bool:
    """Return whether a statement follows on the same line; a comment does not count."""
    return rest.strip().startswith((";", "\\")) and bool(rest.strip().lstrip(";").strip())


def _indent(source: Source, offset: int) -> str:
    line_start = source.starts[bisect_right(source.starts[:-1], offset) - 1]
    match = re.match(r"[ \t\f]*", source.text[line_start:offset])
    return match.group() if match else ""


def _indented(code: str, indent: str) -> str:
    return "".join(f"{indent}{line}\n" if line.strip() else "\n" for line in code.strip("\n").split("\n"))


def _has_long_string(source: Source, first: int, last: int) -> bool:
    """Return whether a string over several lines is in the range: indenting its lines would change it."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source.text).readline))
    except (tokenize.TokenError, IndentationError):
        return True
    opened = 0
    for token in tokens:
        name = tokenize.tok_name[token.type]
        if name == "STRING" and token.start[0] != token.end[0] and first <= token.end[0] and token.start[0] <= last:
            return True
        if name == "FSTRING_START":
            opened = token.start[0]
        if name == "FSTRING_END" and opened != token.end[0] and first <= token.end[0] and opened <= last:
            return True
    return False
