"""One source file of the user's project: its text, its syntax tree, and the position of each node in the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

_LINE_END = re.compile(r"\r\n|\n|\r")
_LARGEST_FILE = 2_000_000  # bytes; larger files are generated code


class Source:
    """A parsed file. Offsets count characters of `text`, which is the unchanged text with its line ends."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)

    @classmethod
    def read(cls, path: Path) -> Source | None:
        """Return the file; None if it is too large, is not UTF-8, has a byte-order mark or does not parse."""
        try:
            raw = path.read_bytes()
            if len(raw) > _LARGEST_FILE or raw.startswith(b"\xef\xbb\xbf"):
                return None
            return cls(path, raw.decode("utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError):
            return None

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

    def line(self, number: int) -> str:
        """Return the text of a line, counted from 1, without its line end."""
        if not 1 <= number < len(self.starts):
            return ""
        return self.text[self.starts[number - 1] : self.starts[number]].rstrip("\r\n")

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position in `ast`, which counts columns in bytes of UTF-8."""
        start = self.starts[line - 1]
        return start + len(self.line(line).encode()[:column].decode(errors="ignore"))

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
        )

    def segment(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        start, end = self.span(node)
        return self.text[start:end]

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
        found = [node for node in ast.walk(self.tree) if isinstance(node, kinds)]
        yield from sorted(found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    def statements_at(self, line: int) -> list[ast.stmt]:
        """Return the innermost statements on the line. Of a compound statement only the head counts."""
        covering = []
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.stmt):
                continue
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                last = max(node.lineno, first_line(body[0]) - 1)
            if node.lineno <= line <= last:
                covering.append(node)
        inner = [
            node for node in covering if not any(other in ast.walk(node) for other in covering if other is not node)
        ]
        return sorted(inner, key=lambda node: node.col_offset)


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
