"""One source file of the user's project: its text, its syntax tree, and the position of each node in the text."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from ..source_text import LARGEST, MARK, decoded, encoded, parsed

Found = TypeVar("Found")
_LINE_END = re.compile(r"\r\n|\n|\r")


class Source:
    """A parsed file. Offsets count characters of `text`, which is the unchanged text with its line ends.

    A byte-order mark is no part of `text`; it stands in `mark`. Every question costs at most as much as the answer is
    long, and not as much as the line or the file: a line may hold thousands of statements.
    """

    def __init__(self, path: Path, text: str, tree: ast.Module, mark: str = "") -> None:
        self.path = path
        self.text = text
        self.tree = tree
        self.mark = mark
        self._ends: dict[int, list[int]] = {}  # by line: the column in bytes at which each character ends
        self._innermost: dict[int, list[ast.stmt]] = {}
        self._found: dict[object, Any] = {}

    @classmethod
    def read(cls, path: Path) -> Source | None:
        """Return the file; None if it is too large or Python would not read it."""
        try:
            with path.open("rb") as file:
                raw = file.read(LARGEST + 1)
            text = decoded(raw)
            if encoded(text) != raw:  # an encoding with several forms of a text: a patch would change other lines
                return None
        except (OSError, ValueError):
            return None
        mark = MARK if text.startswith(MARK) else ""
        tree = parsed(text[len(mark) :]) if len(raw) <= LARGEST else None
        return None if tree is None else cls(path, text[len(mark) :], tree, mark)

    def once(self, key: object, find: Callable[[], Found]) -> Found:
        """Return what `find` finds in this file, which it is asked for only once for each key."""
        if key not in self._found:
            self._found[key] = find()
        found: Found = self._found[key]
        return found

    @cached_property
    def newline(self) -> str:
        found = _LINE_END.search(self.text)
        return found.group() if found else "\n"

    @cached_property
    def starts(self) -> list[int]:
        """The offset of the beginning of each line; the last entry is the end of the text."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.text)), len(self.text)]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the file reads or writes."""
        return frozenset(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name))

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        """All calls by the last part of the called name, in the order of the text."""
        found: dict[str, list[ast.Call]] = {}
        for node in self.walk(ast.Call):
            if isinstance(node, ast.Call) and (name := callee(node)) is not None:
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names that are used as a model anywhere in the file, by calls of methods that modules have."""
        return frozenset(
            ast.unparse(call.func.value)
            for method in ("parameters", "eval", "train", "state_dict")
            for call in self.calls.get(method, ())
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, (ast.Name, ast.Attribute))
        )

    def line(self, number: int) -> str:
        """Return the text of a line, counted from 1, without its line end."""
        if not 1 <= number < len(self.starts):
            return ""
        return self.text[self.starts[number - 1] : self.starts[number]].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position in `ast`, which counts columns in bytes of UTF-8."""
        start = self.starts[line - 1]
        if self.text.isascii():
            return min(start + column, self.starts[line])
        if line not in self._ends:
            self._ends[line] = list(accumulate(len(character.encode()) for character in self.line(line)))
        return start + bisect_right(self._ends[line], column)

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
        )

    def segment(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def constant_at(self, start: int, end: int) -> ast.Constant:
        """Return a node for the characters from `start` to `end`, which lie on one line of a file without a tree."""
        line = bisect_right(self.starts, start)
        columns = [len(self.text[self.starts[line - 1] : at].encode()) for at in (start, end)]
        return ast.Constant(
            self.text[start:end], lineno=line, col_offset=columns[0], end_lineno=line, end_col_offset=columns[1]
        )

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes around a node, from its parent outwards."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that contains the node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function_of(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
        """Return the function that contains the node, or None at the top level of the module."""
        for above in self.ancestors(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                return above
        return None

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        return next((above for above in self.ancestors(node) if isinstance(above, ast.ClassDef)), None)

    def loops_of(self, node: ast.AST) -> list[ast.For | ast.While]:
        """Return the loops around the node within its function, the innermost first."""
        found: list[ast.For | ast.While] = []
        for above in self.ancestors(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                break
            if isinstance(above, (ast.For, ast.While)):
                found.append(above)
        return found

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """Return the list of statements that contains the statement."""
        parent = self.parents[statement]
        for _, value in ast.iter_fields(parent):
            if isinstance(value, list) and statement in value:
                return value
        return [statement]

    def walk(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Yield the nodes of these kinds, in the order of the text."""
        return (node for node in self._in_order if isinstance(node, kinds))

    @cached_property
    def _in_order(self) -> list[ast.AST]:
        return sorted(
            ast.walk(self.tree), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        )

    def statements_at(self, line: int) -> list[ast.stmt]:
        """Return the innermost statements on the line. Of a compound statement only the head counts."""
        if line not in self._innermost:
            covering = self._covering.get(line, [])
            outer = {above for node in covering for above in self.ancestors(node)}
            inner = [node for node in covering if node not in outer]
            self._innermost[line] = sorted(inner, key=lambda node: node.col_offset)
        return self._innermost[line]

    @cached_property
    def _covering(self) -> dict[int, list[ast.stmt]]:
        """The statements whose head covers each line."""
        found: dict[int, list[ast.stmt]] = {}
        for node in self.parents:
            if not isinstance(node, ast.stmt):
                continue
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                last = max(node.lineno, first_line(body[0]) - 1)
            for line in range(node.lineno, last + 1):
                found.setdefault(line, []).append(node)
        return found


def first_line(statement: ast.stmt) -> int:
    """Return the number of the first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def callee(node: ast.AST) -> str | None:
    """Return the last part of the called name: "SGD" of torch.optim.SGD(...)."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None
