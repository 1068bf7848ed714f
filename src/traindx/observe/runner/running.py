"""Runs a script as `python` does: working folder, argv, sys.path, __main__, exit code and tracebacks."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import linecache
import os
import re
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

from ...source_text import MARK, decoded, encoded, keep
from ..hook_points.hooks import StopTraining, text_of
from ..importing import after_import
from ..recording import Recording
from ..schedule import USUAL_BUDGET
from ..secrets import masked_text
from ..sites import describe, is_ours, user_frame
from .hiding import hide_our_depth, hide_our_frames


class ScriptError(Exception):
    """The script cannot be started; the text is one clear line."""


@dataclass(frozen=True)
class Ending:
    """How a script ended: as facts for the record, and as an exit code for the shell."""

    code: int
    status: str
    error: dict[str, Any] | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class Program:
    """Something to run: its code and what `__main__` looks like while it runs."""

    name: str
    code: CodeType
    main: ModuleType
    first_path: str
    argv0: str
    source: bytes = b""  # of a script: the text that was compiled


def find_program(target: str, as_module: bool) -> Program:
    """Read and compile what is to be run. Raises `ScriptError`, or what `compile` raises."""
    return _find_module(target) if as_module else _find_script(target)


def _find_script(target: str) -> Program:
    path = Path(target)
    if path.is_dir():
        if not (path / "__main__.py").exists():
            raise ScriptError(f"{target} is a folder without a __main__.py")
        path = path / "__main__.py"
    if not path.exists():
        raise ScriptError(f"no such script: {target}")
    try:
        with io.open_code(str(path.absolute())) as file:
            source = replacement(str(path)) or file.read()
    except OSError as error:
        raise ScriptError(f"cannot read {target}: {(error.strerror or str(error)).lower()}") from None
    if b"\0" in source[:4096] and path.suffix != ".py":
        raise ScriptError(f"{target} is not a Python script")
    absolute = str(path.absolute())  # as python has it since 3.9
    try:
        decoded(source)
    except ValueError as error:  # `compile` does not look at comments
        raise SyntaxError(str(error), (absolute, None, None, None)) from None
    code = compile(source, absolute, "exec", dont_inherit=True)
    main = _main_module(absolute)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", absolute)
    folder = str((path.resolve() if path.is_symlink() else path.absolute()).parent)
    return Program(path.name, code, main, folder, target, source)


def _find_module(target: str) -> Program:
    sys.path.insert(0, str(Path.cwd()))  # `python -m` finds modules in the working folder first
    try:
        spec = importlib.util.find_spec(target)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(target + ".__main__")
    except (ImportError, ValueError) as error:
        raise ScriptError(f"no module named {target} ({error})") from None
    finally:
        sys.path.pop(0)
    if spec is None or spec.loader is None or not hasattr(spec.loader, "get_code"):
        raise ScriptError(f"no module named {target} that can be run")
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise ScriptError(f"{target} has no Python code to run")
    main = _main_module(spec.origin or target)
    main.__spec__ = spec
    main.__loader__ = spec.loader
    main.__package__ = spec.parent
    return Program(target.rsplit(".", 1)[-1], code, main, str(Path.cwd()), spec.origin or target)


def _main_module(file: str) -> ModuleType:
    main = types.ModuleType("__main__")
    main.__file__ = file
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    main.__annotations__ = {}
    main.__package__ = None
    main.__dict__["__cached__"] = None
    return main


def run_program(program: Program, args: Sequence[str], recording: Recording | None) -> Ending:
    """Run it to its end, whatever that is. Tracebacks are printed here, as python prints them."""
    if program.source:
        keep(program.code.co_filename, program.source)
    before = (sys.argv, sys.path[0] if sys.path else "", sys.modules.get("__main__"))
    sys.argv = [program.argv0, *args]
    own_path = bool(sys.path) and not getattr(sys.flags, "safe_path", False)  # python -P has no such entry
    if own_path:
        sys.path[0] = program.first_path
    sys.modules["__main__"] = program.main
    undo = after_import("torch", recording.attach) if recording is not None else (lambda: None)
    show_frames = hide_our_frames(_execute.__code__)
    try:
        return _execute(program)
    finally:
        undo()
        show_frames()
        sys.argv = before[0]
        if own_path and sys.path:
            sys.path[0] = before[1]
        if before[2] is not None:
            sys.modules["__main__"] = before[2]


def run_script(path: str, args: Sequence[str] = (), *, out: str | Path, budget: float = USUAL_BUDGET) -> int:
    """Run a script under observation in this process; its exit code. The record is left in `out`."""
    program = find_program(path, as_module=False)
    recording = Recording(Path(out), budget)
    recording.writer.fact("script", {"path": path, "argv": list(args), "module": False})
    ending = run_program(program, args, recording)
    recording.close(ending.status, ending.error)
    return ending.code


def _execute(program: Program) -> Ending:
    show_depth = hide_our_depth()
    try:
        exec(program.code, program.main.__dict__)
        _wait_for_threads()
    except SystemExit as leaving:
        return _left(leaving)
    except StopTraining as stopped:
        return ending_of(stopped)
    except BaseException as error:
        _show(error)
        return ending_of(error)
    finally:
        show_depth()
    return Ending(0, "ok")


def ending_of(error: BaseException) -> Ending:
    """How a program ended that raised this."""
    if isinstance(error, StopTraining):
        return Ending(0, "stopped")
    if isinstance(error, KeyboardInterrupt):
        return Ending(128 + signal.SIGINT, "signal SIGINT", interrupted=True)
    return Ending(1, "exception", _error_facts(error))


# Flags by which modules with worker pools know that python is about to exit, and then accept no more work.
POOLS_OVER = (
    ("concurrent.futures.thread", "_shutdown"),
    ("concurrent.futures.process", "_global_shutdown"),
    ("joblib.externals.loky.process_executor", "_global_shutdown"),
)


def _wait_for_threads() -> None:
    """As python does before it exits: the script may train in a thread."""
    # Pools register functions here that tell their waiting workers to end.
    for last_word in reversed(getattr(threading, "_threading_atexits", [])):
        last_word()
    for name, flag in POOLS_OVER:
        if name in sys.modules:
            setattr(sys.modules[name], flag, False)  # here it is not over: whoever ran the script goes on
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()


def _left(leaving: SystemExit) -> Ending:
    if leaving.code is None:
        return Ending(0, "ok")
    if isinstance(leaving.code, int):
        # Python hands the number to C: what does not fit is -1 there, and the shell sees its last eight bits.
        code = int(leaving.code) if -(1 << 63) <= leaving.code < 1 << 63 else -1
        return Ending(code & 0xFF, "ok" if code == 0 else f"exit {code}")
    print(leaving.code, file=sys.stderr)  # sys.exit("message"), as python does it
    return Ending(1, "exit 1")


def _error_facts(error: BaseException) -> dict[str, Any]:
    trace = error.__traceback__
    innermost = None
    while trace is not None:
        if user_frame(trace.tb_frame) is trace.tb_frame:
            innermost = trace
        trace = trace.tb_next
    site = describe(innermost.tb_frame) if innermost is not None else None
    if site is not None and innermost is not None:
        site["line"] = innermost.tb_lineno
    message = masked_text(re.sub(r"\s+", " ", text_of(error)))
    return {"type": type(error).__name__, "message": message, "site": site}


def _show(error: BaseException) -> None:
    """Print the user's own traceback: without the frames that are ours."""
    seen: set[int] = set()
    links: list[BaseException | None] = [error]
    while links:
        link = links.pop()
        if link is not None and id(link) not in seen:
            seen.add(id(link))
            link.__traceback__ = _without_us(link.__traceback__)
            links += [link.__cause__, link.__context__, *getattr(link, "exceptions", ())]
    sys.excepthook(type(error), error, error.__traceback__)


def _without_us(trace: TracebackType | None) -> TracebackType | None:
    kept = []
    while trace is not None:
        if not is_ours(trace.tb_frame.f_code.co_filename):
            kept.append(trace)
        trace = trace.tb_next
    chain: TracebackType | None = None
    for link in reversed(kept):
        chain = TracebackType(chain, link.tb_frame, link.tb_lasti, link.tb_lineno)
    return chain


# What `find_program` raises for a program that Python refuses. Python's own compiler does not only raise SyntaxError.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def run_bare(target: str, as_module: bool, args: Sequence[str]) -> int:
    """Run the program as `python` would, unobserved; return the exit code.

    Python reads a script file in another way than the text that `compile` gets: its messages differ, and their wording
    changes from version to version.
    """
    flags: list[str] = getattr(subprocess, "_args_from_interpreter_flags", list)()
    done = subprocess.run([sys.executable, *flags, *(["-m"] if as_module else []), target, *args], check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


# ── other texts in the place of what source files hold, in this process; no file is touched ───────

_texts: dict[str, bytes] = {}


def use_sources(texts: Mapping[str, str]) -> Callable[[], None]:
    """Python compiles these texts, by absolute path, under the names of the files. Returns what ends that."""
    for path, text in texts.items():
        _texts[os.path.realpath(path)] = encoded(text)
        for name in {path, os.path.realpath(path)}:
            # Without a time of change an entry is never read anew: tracebacks and sites show the text that runs.
            linecache.cache[name] = (len(text), None, text.removeprefix(MARK).splitlines(keepends=True), name)
    get_data, path_stats = SourceFileLoader.get_data, SourceFileLoader.path_stats

    def replaced(self: Any, path: str) -> bytes:
        text = replacement(path)
        return get_data(self, path) if text is None else text

    def stats(self: Any, path: str) -> Mapping[str, Any]:
        if replacement(path) is not None:
            raise OSError("compiled from another text")  # so that no compiled file is taken or written
        return path_stats(self, path)

    SourceFileLoader.get_data = replaced  # type: ignore[method-assign]
    SourceFileLoader.path_stats = stats  # type: ignore[method-assign]

    def undo() -> None:
        SourceFileLoader.get_data, SourceFileLoader.path_stats = get_data, path_stats  # type: ignore[method-assign]
        for path in texts:
            _texts.pop(os.path.realpath(path), None)
            for name in {path, os.path.realpath(path)}:
                linecache.cache.pop(name, None)

    return undo


def replacement(path: str) -> bytes | None:
    """The text that runs in the place of this file, if any."""
    return _texts.get(os.path.realpath(path)) if _texts else None
