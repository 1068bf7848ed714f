"""The processes of one distributed job: which of them this is, and where the others leave what they measured.

Rank 0 keeps the run's record. Every other rank keeps a small record of its own (weights in brief, timing) in a hidden
folder beside it. No rank starts a collective for that: an extra one would make a job hang whose ranks are not in step.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..record.ending import SUFFIX, held

PREFIX = ".ranks-"
STALE = 24 * 3600.0  # seconds after which a folder that no rank removed is removed

# What the launchers (torchrun, Accelerate) tell every process of a job, and tell alike.
_JOB = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT")


_assumed: tuple[int, int] | None = None  # rank and number of ranks of a process that no launcher has started


def assume(rank: int, world: int) -> None:
    """This process is a rank although its environment, which is the script's, does not say so."""
    global _assumed
    _assumed = rank, world


def assumed() -> bool:
    return _assumed is not None


def own_rank() -> int:
    """This process's rank, as the launcher states it; 0 where there is no launcher."""
    return _assumed[0] if _assumed else _whole(os.environ.get("RANK"), 0)


def world_size() -> int:
    return _assumed[1] if _assumed else max(1, _whole(os.environ.get("WORLD_SIZE"), 1))


def _whole(text: str | None, otherwise: int) -> int:
    try:
        return int(text or otherwise)
    except ValueError:
        return otherwise


def ranks_folder(beside: Path, program: str) -> Path:
    """The same folder for every rank of a job, whatever the clock says when each of them starts."""
    job = "\n".join([program, *(os.environ.get(name, "") for name in _JOB)])
    return beside / f"{PREFIX}{hashlib.sha256(job.encode()).hexdigest()[:16]}"


def record_of(folder: Path, rank: int) -> Path:
    return folder / f"{rank}.tdx"


def companion_of(folder: Path, rank: int) -> Path:
    return folder / f"{record_of(folder, rank).name}{SUFFIX}"


def remove_left(folder: Path, ranks: Iterable[int]) -> None:
    """Removes the records of these ranks, and the folder where it is then empty.

    A rank first gives up its own companion file, then asks for those of others: of two that end at the same time at
    least one sees that the other has ended, so that nothing is left and nothing removed that is still written.
    """
    records = tuple(record_of(folder, rank).name for rank in ranks)
    with suppress(OSError):  # the folder is gone
        for path in folder.iterdir():
            if path.name.startswith(records):
                with suppress(OSError):
                    path.unlink()
    with suppress(OSError):  # another rank has not ended, or was faster
        folder.rmdir()


def is_running(folder: Path, rank: int) -> bool:
    """Whether this rank still writes its record or, for rank 0, will still collect those of the others."""
    companion = companion_of(folder, rank)
    return companion.exists() and held(companion) is not False


def remove_stale(beside: Path) -> None:
    """Removes folders of jobs that were killed."""
    for folder in beside.glob(f"{PREFIX}*"):
        with suppress(OSError):
            old = folder.stat().st_mtime < time.time() - STALE  # also right after the clock was set forward
            if old and not any(held(companion) for companion in folder.glob(f"*{SUFFIX}")):
                shutil.rmtree(folder, ignore_errors=True)


def is_agreed(step: int) -> bool:
    """Whether every rank looks at its weights in this step: 0, then twice in each doubling (1, 2, 3, 4, 6, 8, 12 …).

    Each rank plans its other looks by its own clock, so ranks can be compared only where they have agreed.
    """
    while step > 3 and step % 2 == 0:
        step //= 2
    return step <= 3


def next_agreed(step: int) -> int:
    """The first agreed step that is not before this one."""
    if step <= 4:
        return max(step, 0)
    doubling = 1 << (step.bit_length() - 1)
    return next(agreed for agreed in (doubling, doubling + doubling // 2, 2 * doubling) if agreed >= step)
