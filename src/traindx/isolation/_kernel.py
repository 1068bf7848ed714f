"""Isolation by the Linux kernel: namespaces, and a layer over every writable file system, without privileges."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence

from . import _libc as libc
from ._ending import ended
from ._keeper import memory_allowed, wait_for
from ._layers import LayerError, enter_layers
from ._namespaces import enter_namespaces
from ._overlay_gaps import close_gaps
from ._places import writable_places

CANNOT_ISOLATE = 78  # exit code
FOR_LAYERS = (libc.CAP_SYS_CHROOT, libc.CAP_SYS_ADMIN)


def run_isolated(work: Callable[[], int], kept: Sequence[str], words: Sequence[str]) -> int:
    """Run `work` in its own namespaces and layers, and return its exit code. Nothing that it starts outlives it."""
    memory = memory_allowed()
    parent = os.getppid()
    places = writable_places(words)
    try:
        enter_namespaces()
    except OSError as error:
        return _refused(error)
    libc.end_with_parent(parent)
    sys.stdout.flush()
    first = os.fork()
    if first:
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    code = 1
    try:
        code = _first_process(work, kept, places, memory)
    finally:
        os._exit(code)  # ends every process of the namespace


def _first_process(work: Callable[[], int], kept: Sequence[str], places: Sequence[str], memory: int) -> int:
    try:
        enter_layers(kept, places, memory // 2, fresh_proc=True)
    except (OSError, LayerError) as error:
        return _refused(error)
    worker = os.fork()
    if worker:
        return wait_for(worker, memory)
    code = 1
    try:
        _give_up_capabilities()
        close_gaps()
        code = ended(work)
    finally:
        os._exit(code)


def fresh_layer(kept: Sequence[str]) -> bool:
    """Give a fork of an isolated process its own layers over what it has seen so far. Return False on failure."""
    try:
        libc.set_capabilities(_own() + FOR_LAYERS, _own() + FOR_LAYERS)
        libc.unshare(libc.CLONE_NEWNS)
        enter_layers(kept, (), memory_allowed() // 2, fresh_proc=False)
        libc.set_capabilities(_own(), _own())
    except (OSError, LayerError):
        return False
    return True


def _give_up_capabilities() -> None:
    """Drop the capabilities that could change the isolation. Those that `fresh_layer` needs stay permitted only."""
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.bound_capabilities(_own())
    libc.set_capabilities(_own(), _own() + FOR_LAYERS)


def _own() -> tuple[int, ...]:
    return libc.KEPT if os.geteuid() == 0 else ()


def _refused(error: Exception) -> int:
    print(f"isolation refused: {error}", file=sys.stderr)
    return CANNOT_ISOLATE
