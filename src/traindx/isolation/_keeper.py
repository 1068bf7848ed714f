"""Watches an isolated script: waits for it, limits its memory, and ends it and the processes that it leaves behind."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..processes import descendants

LOOK_SECONDS = 0.25
MOST_PROCESSES = 4000
OUT_OF_MEMORY = 77  # exit code
MEMORY_SWITCH = "TRAINDX_ISOLATED_MEMORY"  # bytes; overrides the default limit


def wait_for(worker: int, memory: int) -> int:
    """Return the worker's exit code as a shell does. `memory` is what all processes may use together, in bytes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        with suppress(ChildProcessError):
            while True:
                child, status = os.waitpid(-1, os.WNOHANG)
                if child == worker:
                    return _code(status)
                if child == 0:
                    break
        _wait_for_child()
        pids = descendants(os.getpid())
        if len(pids) > MOST_PROCESSES or (used(pids, "status") > memory and used(pids, "smaps_rollup") > memory):
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
            os.write(2, b"the script was ended: it exceeded the memory or process limit of isolated runs\n")
            return OUT_OF_MEMORY


def end_all() -> None:
    """End every descendant of this process, also those that have left its session."""
    deadline = time.monotonic() + 5
    while (pids := descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)


def used(pids: list[int], source: str) -> int:
    """Return the bytes of private memory of these processes.

    The source `status` is fast but counts a shared page once per process; `smaps_rollup` is exact.
    """
    return sum(_used(pid, source) for pid in pids)


def _used(pid: int, source: str) -> int:
    name = "RssAnon:" if source == "status" else "Pss_Anon:"
    try:
        for line in Path(f"/proc/{pid}/{source}").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    except PermissionError:  # a process may close its own files in /proc, but not this one
        return 0 if source == "status" else _used(pid, "status")
    except (OSError, ValueError):
        pass  # it has ended
    return 0


def memory_allowed() -> int:
    """Return 80 % of the free memory (1 GiB at least), so that a script that allocates too much harms nobody else."""
    if MEMORY_SWITCH in os.environ:
        return int(os.environ[MEMORY_SWITCH])
    free = 0
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            free = min(free, int(Path(path).read_text()))
    return max(2**30, int(0.8 * free))


def _wait_for_child() -> None:
    if hasattr(signal, "sigtimedwait"):
        signal.sigtimedwait({signal.SIGCHLD}, LOOK_SECONDS)
    else:
        time.sleep(0.02)


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def ended(work: Callable[[], int]) -> int:
    """Run `work`, then what Python does at exit (`atexit` functions, flushing), and return the exit code."""
    try:
        code = work()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    return code
