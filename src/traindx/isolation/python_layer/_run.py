"""Starts the layer, and ends everything that was started in it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence

from .. import _landlock
from .. import _libc as libc
from .._ending import ended
from .._keeper import end_all, memory_allowed, wait_for
from ._files import Files
from ._libraries import redirect_libraries
from ._refusals import refuse_the_rest
from ._tree import Tree

SHORT = "/tmp"
SHARED_MEMORY = "/dev/shm"  # workers of data loaders pass their batches through it


def run_layered(work: Callable[[], int], kept: Sequence[str]) -> int:
    """Run `work` in a layer, and return its exit code. Nothing that it starts outlives it."""
    # The layer holds the sockets of data loader workers, whose paths must be short.
    short = sys.platform == "linux" and os.access(SHORT, os.W_OK)
    scratch = tempfile.mkdtemp(prefix="tdx-", dir=SHORT if short else kept[0])
    if sys.platform == "linux":
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)  # orphaned descendants become children of this process
    worker = os.fork()
    if worker:
        code = wait_for(worker, memory_allowed())
        end_all()
        shutil.rmtree(scratch, ignore_errors=True)
        return code
    code = 1
    try:
        code = ended(lambda: _layered(work, scratch, kept))
    finally:
        os._exit(code)


def _layered(work: Callable[[], int], scratch: str, kept: Sequence[str]) -> int:
    from ...observe.runner.importing import after_import

    sys.dont_write_bytecode = True
    for name in ("files", "tmp"):
        os.mkdir(f"{scratch}/{name}")
    os.environ["TMPDIR"] = tempfile.tempdir = f"{scratch}/tmp"
    if sys.platform == "linux":
        _landlock.fence([*kept, scratch, *([SHARED_MEMORY] if os.path.isdir(SHARED_MEMORY) else [])])
    else:
        os.setsid = _no_session  # type: ignore[assignment]  # a daemon could not be found and ended
    tree = Tree(scratch, kept)
    Files(tree).install()
    redirect_libraries(tree, after_import)
    refuse_the_rest(tree)
    return work()


def _no_session() -> None:
    raise PermissionError(1, "isolated run: no session of its own")
