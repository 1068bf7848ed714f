"""Finds the user's source line behind a call into torch."""

from __future__ import annotations

import inspect
import os
import site as site_module
import sys
import sysconfig
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from ..source_text import LONGEST_LINE, forget, lines_of, source_line
from .hook_points.wrapping import WRAPPER_FILE

_HERE = str(Path(__file__).parents[1])
_project = os.sep  # the folder that paths in the record are relative to
MOST_KEPT = 5_000_000  # characters of source
_PATIENTS = str(Path(_HERE) / "zoo")


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    roots = {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]}
    roots.update(site_module.getsitepackages() if hasattr(site_module, "getsitepackages") else ())
    return tuple(roots)


@cache
def kind_of(filename: str) -> str:
    """`ours`, `torch`, `library` or `user`."""
    # The zoo's patients lie within the package but are user code.
    if filename == WRAPPER_FILE or (filename.startswith(_HERE) and not filename.startswith(_PATIENTS)):
        return "ours"
    parts = filename.replace("\\", "/")
    if is_installed(filename):
        return "torch" if "/torch/" in parts else "library"
    return "library" if filename.startswith("<frozen") else "user"


def is_installed(filename: str) -> bool:
    parts = filename.replace("\\", "/")
    return filename.startswith(_installed()) or "/site-packages/" in parts or "/dist-packages/" in parts


def is_ours(filename: str) -> bool:
    return kind_of(filename) == "ours"


def is_users(frame: FrameType) -> bool:
    """Whether this very frame is of the user's own code."""
    return kind_of(frame.f_code.co_filename) == "user"


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's own code; of a library that is not torch, where there is none."""
    nearest = None
    while frame is not None:
        kind = kind_of(frame.f_code.co_filename)
        if kind == "user":
            return frame
        if kind == "library" and nearest is None:
            nearest = frame
        frame = frame.f_back
    return nearest


def call_path(frame: FrameType | None, depth: int = 4) -> tuple[tuple[CodeType, int], ...]:
    """The places of the user's code that led here, from the inside out: equal within a loop, unlike for two calls."""
    found: list[tuple[CodeType, int]] = []
    while frame is not None and len(found) < depth:
        if is_users(frame):
            found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def here(depth: int = 1) -> dict[str, Any] | None:
    """The site (docs/record.md) of the user's code that is calling us now."""
    return describe(user_frame(sys._getframe(depth)))


def where_made(thing: Any, depth: int = 1) -> dict[str, Any] | None:
    """The site of the call that makes a thing: a class of the user's own is made outside of its constructors."""
    frame = user_frame(sys._getframe(depth))
    while frame is not None and frame.f_code.co_name == "__init__" and locals_of(frame).get("self") is thing:
        outer = user_frame(frame.f_back)
        if outer is None:
            break
        frame = outer
    return describe(frame)


def describe(frame: FrameType | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    # Python takes the same code in two files for equal: the file's name has to tell them apart.
    return dict(_describe(frame.f_code, frame.f_code.co_filename, frame.f_lasti, frame.f_lineno))


def instruction(frame: FrameType | None) -> tuple[Any, ...] | None:
    """What tells this call from every other one. Equal code in two files is equal to Python: the file belongs to it."""
    return None if frame is None else (frame.f_code.co_filename, frame.f_code, frame.f_lasti)


def describe_line(frame: FrameType, line: int) -> dict[str, Any]:
    """The site of another line of the function that runs in this frame."""
    filename = frame.f_code.co_filename
    return {
        "file": _relative(filename),
        "line": line,
        "text": _text(filename, line, line),
        "function": frame.f_code.co_name,
    }


@cache
def _describe(code: CodeType, filename: str, lasti: int, lineno: int) -> tuple[tuple[str, Any], ...]:
    first, last = lineno, lineno
    if hasattr(code, "co_positions"):  # Python 3.11: the whole statement of a call that spans lines
        positions = _positions(code)
        if 0 <= lasti // 2 < len(positions):
            start, end, _, _ = positions[lasti // 2]
            if start is not None and end is not None and end - start < 20:
                first, last = start, end
    text = _text(filename, first, last)
    return (("file", _relative(filename)), ("line", first), ("text", text), ("function", code.co_name))


@lru_cache(maxsize=4)  # for programs with thousands of calls in one function
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


def _text(filename: str, first: int, last: int) -> str:
    """These lines, each as far as a record keeps it."""
    lines = [source_line(filename, n) for n in range(first, last + 1)]
    return "\n".join(line[: len(line) - len(line.lstrip()) + LONGEST_LINE] for line in lines).strip()


def _relative(filename: str) -> str:
    """The path relative to the project's folder, if it lies there: a record reveals no more than it has to."""
    inside = _project != os.sep and filename.startswith(_project + os.sep)
    return os.path.relpath(filename, _project) if inside and not is_installed(filename) else filename


def begin_here() -> None:
    """Observation begins: paths are told as seen from the present folder, wherever the script goes later."""
    global _project
    forget()
    _describe.cache_clear()
    with suppress(OSError):  # the folder has been removed
        _project = str(Path.cwd())


def keep_sources() -> None:
    """Keep the text of the modules imported so far, so that an edit during the run moves no line of theirs."""
    kept = 0
    for module in list(sys.modules.values()):
        name = vars(module).get("__file__") if type(module) is ModuleType else None  # runs no code of a lazy module
        if isinstance(name, str) and name.endswith(".py") and kind_of(name) == "user" and kept < MOST_KEPT:
            kept += sum(map(len, lines_of(name)))


# Up to Python 3.12, `frame.f_locals` of a function makes a dict that the frame keeps, and with it every object that was
# a local variable then, even if the function deletes the variable afterwards.
_KEPT = sys.version_info < (3, 13)
_OURS_ALONE = 3  # references: the frame's, our variable's, and that of `getrefcount` itself


def locals_of(frame: FrameType) -> dict[str, Any]:
    """The local variables of a running function by name, without leaving anything in it; of a module, its globals."""
    held: Any = frame.f_locals
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return dict(held)
    found = dict(held)
    # A function that has called `locals()` may hold that dict itself; then it is its own business.
    if _KEPT and sys.getrefcount(held) == _OURS_ALONE:
        code = frame.f_code
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            held.pop(name, None)
    return found
