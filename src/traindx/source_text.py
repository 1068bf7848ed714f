"""Python files of the user: their text as Python reads it, and their syntax tree, both within limits.

The text keeps everything that the bytes hold, also a byte-order mark and the line ends, so that `encoded` returns the
same bytes. The encoding is not stored beside it: the text itself declares it, as in the file.
"""

from __future__ import annotations

import ast
import builtins
import codecs
import io
import linecache
import re
from contextlib import suppress
from functools import lru_cache

LARGEST = 500_000  # bytes or characters; larger files are generated code. A tree takes up to 300 times as much memory
LONGEST_LINE = 500  # characters of a line that a record keeps and an answer quotes
MARK = "\ufeff"  # the byte-order mark that editors on Windows write

# This works inside a user's script, which may replace the builtins (`_builtins.py`).
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]
_DECLARED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263
_BLANK = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")


def decoded(raw: bytes) -> str:
    """Return the text of a source file. Raises ValueError if it has another encoding than it declares."""
    return raw.decode(_encoding(raw))


def encoded(text: str) -> bytes:
    """Return the bytes of a source file with this text. Raises ValueError if its encoding lacks a character."""
    return text.encode(_encoding(text[:LARGEST].encode("utf-8", "surrogatepass")))


def parsed(source: str | bytes) -> ast.Module | None:
    """Return the syntax tree; None if the source is too large or Python cannot parse it."""
    if len(source) > LARGEST:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_kept: dict[str, list[str]] = {}  # by file: its lines when the run began, or when they were first asked for


def keep(filename: str, raw: bytes) -> None:
    """From now on, `lines_of` answers with this text: the one that Python has compiled."""
    with suppress(ValueError):
        text = decoded(raw).removeprefix(MARK)
        _kept[filename] = io.StringIO(text, newline=None).readlines()  # lines end as in `linecache`


def forget() -> None:
    """A new run begins: its files may have been edited and imported anew since the last one."""
    _kept.clear()
    tree_of.cache_clear()


def lines_of(filename: str) -> list[str]:
    """Return the lines of a file (or a notebook's cell) that is running in this process.

    People edit a script while it trains. `linecache` reads the edited file as soon as anything prints a traceback, and
    the numbers of the running code's lines then lead to other lines.
    """
    lines = _kept.get(filename)
    if lines is None:
        lines = linecache.getlines(filename)
        if lines:
            _kept[filename] = lines
    return lines


def source_line(filename: str, number: int) -> str:
    """Return a line of a running file, counted from 1, without its line end; empty if there is none."""
    lines = lines_of(filename)
    return lines[number - 1].rstrip("\n") if 1 <= number <= len(lines) else ""


@lru_cache(maxsize=64)
def tree_of(filename: str) -> ast.Module | None:
    """Return the syntax tree of a file (or a notebook's cell) that is running in this process."""
    lines = lines_of(filename)
    return None if sum(map(len, lines)) > LARGEST else parsed("".join(lines))


def _encoding(raw: bytes) -> str:
    """Return the encoding that the first two lines declare; UTF-8 if they declare none or the file has a mark."""
    lines = raw.split(b"\n", 2)[:2]
    lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
    declared = _DECLARED.match(lines[0])
    if declared is None and len(lines) > 1 and _BLANK.match(lines[0]):
        declared = _DECLARED.match(lines[1])
    name = "utf-8" if declared is None else declared[1].decode("ascii", "replace")
    try:
        found = codecs.lookup(name).name
        b"x".decode(found)  # not every codec is one of texts
    except LookupError:
        raise ValueError(f"unknown encoding: {name}") from None
    if raw.startswith(codecs.BOM_UTF8) and found != "utf-8":
        raise ValueError(f"the file has a mark of UTF-8 and declares {found}")
    return "utf-8" if found == "utf-8-sig" else found
