"""Finds the user's source line behind a call into torch."""

from __future__ import annotations

import linecache
import os
import site as site_module
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .hook_points.wrapping import WRAPPER_FILE

_HERE = str(Path(__file__).parents[1])
_project = os.sep  # the folder that paths in the record are relative to
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
    while frame is not None and frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is thing:
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
    text = linecache.getline(filename, line).strip()
    return {"file": _relative(filename), "line": line, "text": text, "function": frame.f_code.co_name}


@cache
def _describe(code: CodeType, filename: str, lasti: int, lineno: int) -> tuple[tuple[str, Any], ...]:
    first, last = lineno, lineno
    if hasattr(code, "co_positions"):  # Python 3.11: the whole statement of a call that spans lines
        positions = list(code.co_positions())
        if 0 <= lasti // 2 < len(positions):
            start, end, _, _ = positions[lasti // 2]
            if start is not None and end is not None and end - start < 20:
                first, last = start, end
    lines = [linecache.getline(filename, n).rstrip("\n") for n in range(first, last + 1)]
    text = "\n".join(lines).strip()
    return (("file", _relative(filename)), ("line", first), ("text", text), ("function", code.co_name))


def _relative(filename: str) -> str:
    """The path relative to the project's folder, if it lies there: a record reveals no more than it has to."""
    inside = _project != os.sep and filename.startswith(_project + os.sep)
    return os.path.relpath(filename, _project) if inside and not is_installed(filename) else filename


def begin_here() -> None:
    """Observation begins: paths are told as seen from the present folder, wherever the script goes later."""
    global _project
    with suppress(OSError):  # the folder has been removed
        _project = str(Path.cwd())
