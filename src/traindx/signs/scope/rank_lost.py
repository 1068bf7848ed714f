"""Ranks of a distributed job that ended before the others."""

from __future__ import annotations

import re
from dataclasses import replace

from ...record import Run
from ...record.course import Error
from ...record.ranks import Rank
from ...wording import listed
from .. import questions
from .._base import Measured, place, sign

# What ranks say that lost another one, and the calls in which they wait for it.
_LEFT_ALONE = re.compile(
    r"connection (closed|reset|refused|was)|NCCL|ProcessGroup|timed? ?out|broken pipe|gloo|remote process",
    re.IGNORECASE,
)
_WAITS = re.compile(
    r"^(_engine_run_backward|backward|all_reduce|all_gather\w*|reduce\w*|broadcast\w*|barrier|monitored_barrier|wait|"
    r"gather\w*|scatter\w*|send|recv|synchronize|_sync_\w+|all_to_all\w*)$"
)
MOST_UNHEARD = 1000  # more are not listed, whatever a damaged record says
_BY_THE_LAUNCHER = ("signal SIGTERM", "signal SIGINT")


@sign("rank-lost", questions.TRAINED, "scope", severity="critical")
def rank_lost(run: Run) -> Measured | str:
    """Whether a rank of a distributed job was killed, failed, or left the others waiting, 1 or 0.

    One lost rank ends all others: some fail in the call that waits for it, and the launcher ends the rest. The rank
    that was lost first is the one that ended otherwise: by a signal that the launcher does not send, or by an error of
    its own. Where all were ended from outside, the rank that was in no call that waits for others held them up.
    """
    ranks = [_with_own(run, rank) if rank.rank == 0 else rank for rank in run.ranks if rank.rank is not None]
    unheard = _unheard(run, ranks)
    if unheard and _alone(run.error):
        how = f"rank 0 lost another rank ({_reason(run.error.message)}){place(run.error.site)}"
        words = f"{how}; {_ranks(unheard)} left no record"
        return Measured(1.0, words, onset=run.steps or None, values={"ranks": unheard})
    if not ranks:
        return "the run has one process"
    ended = [rank for rank in ranks if rank.exit]
    if all(rank.exit in ("ok", "stopped") for rank in ended):
        return Measured(0.0, f"none of the {len(ranks)} ranks was lost")
    lost = [rank for rank in ended if rank.exit not in ("ok", "stopped", *_BY_THE_LAUNCHER) and not _alone(rank.error)]
    others = [rank for rank in ended if rank not in lost]
    if not lost and len(ended) == len(ranks):
        lost, others = _held_up(ended)
    if not lost:
        return Measured(0.0, "the ranks were ended together")
    said = [_how(rank) for rank in lost]
    waited = _waited(others)
    step = max((int(rank.steps) for rank in ranks), default=None)
    words = f"{'; '.join(said)}{f'; {waited}' if waited else ''}"
    return Measured(1.0, words, onset=step, values={"ranks": [rank.rank for rank in lost]})


def _with_own(run: Run, rank: Rank) -> Rank:
    """The rank that wrote the record, with what the record says of its end."""
    stopped = run.stopped_at or rank.stopped_at
    return replace(rank, exit=run.exit or rank.exit, error=run.error or rank.error, stopped_at=stopped)


def _unheard(run: Run, ranks: list[Rank]) -> list[int]:
    """The ranks of the job that left no record: killed before they could, or on a machine with another disk."""
    heard = {rank.rank for rank in ranks}
    world = min(run.distributed.world_size or 1.0, len(heard) + MOST_UNHEARD)
    return [number for number in range(1, int(world)) if number not in heard]


def _reason(message: str) -> str:
    """What happened to the connection, without what the library says around it."""
    found = re.search(r"connection [a-z ]+|timed? ?out|broken pipe", message, re.IGNORECASE)
    return found[0].strip() if found else message[:80]


def _ranks(numbers: list[int]) -> str:
    return f"rank{'s' if len(numbers) > 1 else ''} {listed([str(number) for number in numbers])}"


def _alone(error: Error) -> bool:
    """Whether the rank failed only because another one was gone."""
    return bool(_LEFT_ALONE.search(error.message))


def _held_up(ended: list[Rank]) -> tuple[list[Rank], list[Rank]]:
    """The ranks that others waited for when all were ended from outside, and those that waited."""
    known = [rank for rank in ended if rank.stopped_at.inside]
    waiting = [rank for rank in known if _WAITS.match(rank.stopped_at.inside)]
    busy = [rank for rank in known if rank not in waiting]
    return (busy, waiting) if waiting and len(busy) < len(waiting) + 1 else ([], [])


def _how(rank: Rank) -> str:
    name, step = f"rank {rank.rank}", f"at about step {int(rank.steps)}"
    error, exit = rank.error, rank.exit
    if exit == "killed":
        return f"{name} was killed {step} (SIGKILL; when memory runs out, the system kills so)"
    if exit in _BY_THE_LAUNCHER:
        at = rank.stopped_at
        return f"{name} held the others up {step}: it was in {at.inside}(){place(at.site)}"
    if exit.startswith("signal"):
        return f"{name} was ended by {exit.removeprefix('signal ')} {step}"
    what = f": {error.type}: {error.message[:150]}" if error else ""
    return f"{name} failed {step}{what}{place(error.site)}"


def _waited(others: list[Rank]) -> str:
    """Where the other ranks were, as far as that is known."""
    sites: dict[str, list[int]] = {}
    for rank in others:
        at = rank.error.site or rank.stopped_at.site
        if at and rank.rank is not None:
            sites.setdefault(place(at), []).append(rank.rank)
    said = [f"{_ranks(names)} waited for it{at}" for at, names in sites.items()]
    return "; ".join(said)
