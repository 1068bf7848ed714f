"""Which rank of a job was lost first, and where the others were."""

from __future__ import annotations

import pytest

from traindx.record import RunBuilder
from traindx.signs import measure_all


def at(line, inside):
    return {"site": {"file": "train.py", "line": line, "text": "", "function": "main"}, "inside": inside}


def rank(number, exit, **known):
    return {"rank": number, "exit": exit, "steps": 40, **known}


CLOSED = {"type": "RuntimeError", "message": "gloo: Connection closed by peer", "site": at(39, "")["site"]}
OWN = {"type": "ValueError", "message": "bad label", "site": at(12, "")["site"]}
WAITING, ASLEEP = at(39, "_engine_run_backward"), at(28, "<module>")


def sign(*ranks):
    return measure_all(RunBuilder("run.tdx", "observed").fact("ranks", list(ranks)).build())["rank-lost"]


@pytest.mark.parametrize(
    ("ranks", "says"),
    [
        ([rank(0, "exception", error=CLOSED), rank(1, "killed")], "rank 1 was killed at about step 40"),
        ([rank(0, "signal SIGTERM", stopped_at=WAITING), rank(1, "killed")], "rank 0 waited for it (train.py:39)"),
        ([rank(0, "exception", error=CLOSED), rank(1, "exception", error=OWN)], "rank 1 failed at about step 40: Val"),
        ([rank(0, "killed"), rank(1, "exception", error=CLOSED), rank(2, "signal SIGTERM")], "rank 0 was killed"),
        ([rank(n, "signal SIGTERM", stopped_at=ASLEEP if n == 1 else WAITING) for n in range(3)], "rank 1 held the"),
        ([rank(0, "signal SIGSEGV"), rank(1, "signal SIGTERM")], "rank 0 was ended by SIGSEGV"),
    ],
)
def test_the_lost_rank_is_named(ranks, says):
    found = sign(*ranks)
    assert found.raised and says in found.text.replace("Rank", "rank"), found.text


@pytest.mark.parametrize(
    "ranks",
    [
        [rank(0, "ok"), rank(1, "ok")],
        [rank(0, None), rank(1, None)],  # in progress
        [rank(0, "stopped"), rank(1, "stopped")],  # --max-steps
        [rank(n, "signal SIGTERM", stopped_at=WAITING) for n in range(2)],  # ended by the user
        [rank(n, "signal SIGTERM", stopped_at=ASLEEP) for n in range(2)],
    ],
)
def test_no_rank_is_lost(ranks):
    assert not sign(*ranks).raised


def test_a_rank_that_left_no_record_is_missed_by_the_one_that_lost_it():
    def job_of_one_record(error):
        builder = RunBuilder("run.tdx", "observed").fact("distributed", {"rank": 0, "world_size": 2})
        return measure_all(builder.fact("exit", "exception").fact("error", error).build())

    found = job_of_one_record({**CLOSED, "message": "[pair.cc:553] Connection closed by peer [127.0.0.1]:1. GLHF!"})
    lost = found["rank-lost"]
    assert lost.raised and lost.values["ranks"] == [1]
    assert "(Connection closed by peer [127)" not in lost.text and "rank 1 left no record" in lost.text, lost.text
    assert not found_in(job_of_one_record(OWN)), "an error of its own names no other rank"


def found_in(signs):
    lost = signs.get("rank-lost")
    return lost is not None and lost.raised
