"""Hides that the script runs inside another program: our frames on the stack, their depth, and the fault handler."""

from __future__ import annotations

import faulthandler
import inspect
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

from ..sites import is_ours

# ── frames, and the depth that they take ──────────────────────────────────────────────────────────


def hide_our_frames(outermost: CodeType) -> Callable[[], None]:
    """Leave our frames out of `traceback.walk_stack` and `inspect.stack`, and everything outside `outermost`.

    Stacks that the script looks at (anomaly detection, `print_stack`, logging) then end where the script begins.
    Returns what undoes that.
    """
    walk, outer = traceback.walk_stack, inspect.getouterframes

    def walk_stack(f: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        walked = walk(f if f is not None else sys._getframe(1))
        return _without_ours(walked, outermost, lambda each: each[0])

    def getouterframes(frame: Any, context: int = 1) -> list[inspect.FrameInfo]:
        return list(_without_ours(iter(outer(frame, context)), outermost, lambda each: each.frame))

    return _replaced([(traceback, "walk_stack", walk_stack), (inspect, "getouterframes", getouterframes)])


def _without_ours(walked: Iterator[Any], outermost: CodeType, frame_of: Callable[[Any], FrameType]) -> Iterator[Any]:
    for each in walked:
        code = frame_of(each).f_code
        if code is outermost:
            return
        if not is_ours(code.co_filename):
            yield each


# How deep a script is that `python` runs, as an error message says it; before 3.12, calls from C counted too.
_BARE = 1 if sys.version_info >= (3, 12) else 2
# Run one call deeper than the script will be, it says how deep that is.
_ASK = compile("try:\n    limit(1)\nexcept RecursionError as error:\n    said = str(error)", "<depth>", "exec")


def hide_our_depth() -> Callable[[], None]:
    """Called where the script is about to run: it may call itself as often as without us. Returns what undoes that."""
    get, put = sys.getrecursionlimit, sys.setrecursionlimit
    asked: dict[str, Any] = {"limit": put, "said": ""}
    exec(_ASK, asked)
    found = re.search(r"at the recursion depth (\d+)", asked["said"])
    ours = int(found[1]) - 1 - _BARE if found else 0
    put(get() + ours)

    def getrecursionlimit() -> int:
        return get() - ours

    def setrecursionlimit(limit: Any, /) -> None:
        put(limit + ours if type(limit) is int and limit > 0 else limit)

    undo = _replaced([(sys, "getrecursionlimit", getrecursionlimit), (sys, "setrecursionlimit", setrecursionlimit)])

    def show() -> None:
        undo()
        put(get() - ours)

    return show


def _replaced(replacements: list[tuple[Any, str, Any]]) -> Callable[[], None]:
    """Put these in place, and return what puts the originals back where nobody else has replaced them since."""
    originals = [(owner, name, getattr(owner, name), replacement) for owner, name, replacement in replacements]
    for owner, name, _, replacement in originals:
        setattr(owner, name, replacement)

    def undo() -> None:
        for owner, name, original, replacement in originals:
            if getattr(owner, name) is replacement:
                setattr(owner, name, original)

    return undo


# ── which signal ended the process ────────────────────────────────────────────────────────────────
#
# Python's fault handler writes from within the signal, even if the interpreter hangs, and then lets the signal do what
# it would do anyway. `signal.getsignal` still returns the default, and a handler that the script sets replaces ours.


def listen(descriptor: int | None) -> None:
    """From now on, the fault handler writes there. Without it a killed run is known by its companion's lock."""
    if descriptor is None:
        return
    with suppress(OSError, ValueError, RuntimeError):
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                faulthandler.register(number, file=descriptor, all_threads=name == "SIGHUP", chain=True)
        if not faulthandler.is_enabled():
            faulthandler.enable(file=descriptor, all_threads=False)
            _hide()


def _hide() -> None:
    """Until the script enables or disables the fault handler itself, it is disabled as far as the script can see."""
    names = ("enable", "disable", "is_enabled")
    originals = {name: getattr(faulthandler, name) for name in names}

    def show() -> None:
        for name, original in originals.items():
            setattr(faulthandler, name, original)

    def enable(*args: Any, **kwargs: Any) -> None:
        show()
        originals["enable"](*args, **kwargs)

    def disable() -> bool:
        show()
        originals["disable"]()
        return False

    def is_enabled() -> bool:
        return False

    for replaced in (enable, disable, is_enabled):
        setattr(faulthandler, replaced.__name__, replaced)
