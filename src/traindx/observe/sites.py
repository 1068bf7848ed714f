"""Finds the user's source line behind a call into torch."""

from __future__ import annotations

import linecache
import site as site_module
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from .wrapping import WRAPPER_FILE

_HERE = str(Path(__file__).parents[1])
_PATIENTS = str(Path(_HERE) / "zoo")


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    roots = {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"]}
    roots.update(site_module.getsitepackages() if hasattr(site_module, "getsitepackages") else ())
    return tuple(roots)


# Packages may also lie on a path of their own (PYTHONPATH, `pip install --target`, a .pth file).
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")


def _is_installed(filename: str) -> bool:
    return filename.startswith(_installed()) or any(part in _PACKAGE_FOLDERS for part in Path(filename).parts)


@cache
def _kind(filename: str) -> str:
    """`ours`, `torch`, `library` or `user`."""
    # The zoo's patients lie within the package but are user code.
    if filename == WRAPPER_FILE or (filename.startswith(_HERE) and not filename.startswith(_PATIENTS)):
        return "ours"
    if "/torch/" in filename.replace("\\", "/") and _is_installed(filename):
        return "torch"
    if filename.startswith("<frozen") or _is_installed(filename):
        return "library"
    return "user"


def is_ours(filename: str) -> bool:
    return _kind(filename) == "ours"


def is_users(frame: FrameType) -> bool:
    """Whether this very frame is of the user's own code."""
    return _kind(frame.f_code.co_filename) == "user"


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame of the user's own code; of a library that is not torch, where there is none."""
    nearest = None
    while frame is not None:
        kind = _kind(frame.f_code.co_filename)
        if kind == "user":
            return frame
        if kind == "library" and nearest is None:
            nearest = frame
        frame = frame.f_back
    return nearest


def here(depth: int = 1) -> dict[str, Any] | None:
    """The site (docs/record.md) of the user's code that is calling us now."""
    return describe(user_frame(sys._getframe(depth)))


def describe(frame: FrameType | None) -> dict[str, Any] | None:
    if frame is None:
        return None
    return dict(_describe(frame.f_code, frame.f_lasti, frame.f_lineno))


@cache
def _describe(code: CodeType, lasti: int, lineno: int) -> tuple[tuple[str, Any], ...]:
    first, last = lineno, lineno
    if hasattr(code, "co_positions"):  # Python 3.11: the whole statement of a call that spans lines
        positions = list(code.co_positions())
        if 0 <= lasti // 2 < len(positions):
            start, end, _, _ = positions[lasti // 2]
            if start is not None and end is not None and end - start < 20:
                first, last = start, end
    lines = [linecache.getline(code.co_filename, n).rstrip("\n") for n in range(first, last + 1)]
    text = "\n".join(lines).strip()
    return (("file", code.co_filename), ("line", first), ("text", text), ("function", code.co_name))
