"""Two ranks end in every order of their steps on the disk: nothing is left, and nothing is raised."""

from __future__ import annotations

import io
import os
import threading
from itertools import combinations

import pytest

from traindx.observe import rank_comparison
from traindx.observe.rank_comparison import RankComparison
from traindx.observe.ranks import is_running, record_of, remove_left
from traindx.record.ending import Companion
from traindx.record.writer import RecordWriter

STEPS = 6  # of each rank, that are put in order; what follows comes as it comes


class Order:
    """Lets two threads touch the disk one call at a time, in a given order."""

    def __init__(self, patch):
        self._turns, self._ended, self._moved = [], set(), threading.Condition()
        self._own = threading.local()
        for module, names in ((os, ("stat", "unlink", "rmdir", "listdir", "scandir")), (io, ("open",))):
            for name in names:
                patch.setattr(module, name, self._in_turn(getattr(module, name)))

    def _in_turn(self, call):
        def waiting(*args, **named):
            if hasattr(self._own, "number"):
                self._wait(self._own.number)
            return call(*args, **named)

        return waiting

    def _wait(self, number):
        with self._moved:
            while self._next() not in (None, number):
                self._moved.wait()
            if self._turns:
                self._turns.pop(0)
            self._moved.notify_all()

    def _next(self):
        while self._turns and self._turns[0] in self._ended:
            self._turns.pop(0)
        return self._turns[0] if self._turns else None

    def run(self, turns, *ends):
        self._turns, self._ended, raised = list(turns), set(), []

        def end(number):
            self._own.number = number
            try:
                ends[number]()
            except BaseException as error:
                raised.append(error)
            with self._moved:
                self._ended.add(number)
                self._moved.notify_all()

        threads = [threading.Thread(target=end, args=(number,)) for number in range(len(ends))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return raised


def orders():
    for first in combinations(range(2 * STEPS), STEPS):
        yield [0 if place in first else 1 for place in range(2 * STEPS)]


def test_every_order_of_two_ends_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    order = Order(monkeypatch)
    for turns in orders():
        folder = tmp_path / "ranks"
        comparison, companion = RankComparison(folder, None), Companion(record_of(folder, 1))
        record_of(folder, 1).touch()

        def other(folder=folder, companion=companion):  # as `traindx run` has it
            companion.remove()
            if not is_running(folder, 0):
                remove_left(folder, [0, 1])

        assert not order.run(turns, comparison.close, other), turns
        assert not folder.exists(), turns


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed")
def test_the_last_rank_removes_what_a_killed_rank_0_has_left(tmp_path):
    """The system has taken its lock, the file is still there."""
    folder = tmp_path / "ranks"
    folder.mkdir()
    record_of(folder, 1).touch()
    folder.joinpath("0.tdx-exit").touch()
    assert not is_running(folder, 0)
    remove_left(folder, [0, 1])
    assert not folder.exists()


def test_rank_0_waits_for_a_record_that_is_not_closed(tmp_path, monkeypatch):
    """A record that cannot be read yet is no sign that its rank has ended."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    folder, collected = tmp_path / "ranks", []
    comparison, companion = RankComparison(folder, RecordWriter(tmp_path / "run.tdx")), Companion(record_of(folder, 1))
    monkeypatch.setattr(comparison, "collect", lambda: collected.append(is_running(folder, 1)))
    monkeypatch.setattr(rank_comparison, "PATIENCE", 60.0)
    ending = threading.Timer(0.3, companion.remove)
    ending.start()
    comparison.finish()
    ending.join()
    assert collected == [False]
