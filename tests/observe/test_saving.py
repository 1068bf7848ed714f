"""When the record is written, on which thread, and that the script's clock stands still meanwhile."""

from __future__ import annotations

import _thread
import threading

import pytest
import torch

from traindx.observe.hook_points import hooks as hook_module
from traindx.observe.hook_points.hooks import HookPoints
from traindx.observe.recording import Recording
from traindx.record import Run, RunBuilder, load


@pytest.fixture
def recording(tmp_path):
    made = Recording(tmp_path / "run.tdx", budget=1.0)
    made.attach()
    yield made
    made.close("ok")


def train(steps):
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 3)).pow(2).mean().backward()
        optimizer.step()


@pytest.mark.parametrize("waits", [False, True])
def test_writes_are_seen_by_nobody(recording, monkeypatch, waits):
    """Where values have to be waited for, another thread writes, which `threading` does not know."""
    started = []

    def start(function, args):
        started.append(function)
        return _thread.start_new_thread(function, args)

    monkeypatch.setattr("traindx.observe.recording.start_new_thread", start)
    recording.session.metrics.on_device = waits
    known = threading.enumerate()
    while recording.session.step < 10:
        train(1)
        recording.hooks.save_due = min(recording.hooks.save_due, 0.0)  # it is always due
    assert threading.enumerate() == known
    assert bool(started) == waits
    with recording.writer._flushing:  # a thread that writes comes to its end
        kept: Run = load(recording.writer.path)
    assert kept.steps > 0 and "exit" not in kept.facts


def test_error_while_writing_reaches_nobody(recording):
    def broken():
        raise ValueError("broken")

    recording.hooks.save = broken
    recording.hooks.save_due = 0.0
    train(3)
    assert recording._off["saving"] == "ValueError: broken"


@pytest.mark.parametrize("when", ["before", "after"])
def test_interrupted_write_neither_loses_nor_doubles(recording, monkeypatch, when):
    train(5)
    writer = recording.writer
    write = writer._write

    def interrupted(batch, surplus):
        if when == "after":
            write(batch, surplus)
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, "_write", interrupted)
    writer.point("extra", 0, 1.0)
    with pytest.raises(KeyboardInterrupt):
        writer.flush()
    monkeypatch.setattr(writer, "_write", write)
    writer.point("extra", 1, 2.0)
    writer.flush()
    assert load(writer.path).series("extra").values.tolist() == [1.0, 2.0]


def test_clock_of_the_script_stands_still_while_observers_work(monkeypatch):
    now = [1.0]
    monkeypatch.setattr(hook_module, "perf_counter", lambda: now[0])
    hooks = HookPoints(lambda observer, reason: None)
    heard = []

    class Slow:
        name = "slow"

        def forward_failed(self, root):
            now[0] += 5.0
            heard.append(hooks.clock())

    hooks.add(Slow())
    hooks.live = True
    began = hooks.clock()
    now[0] += 2.0
    hooks.announce("forward_failed", None)
    assert heard == [began + 2.0]
    assert hooks.clock() == began + 2.0
    now[0] += 3.0
    hooks.announce("forward_failed", None)
    assert hooks.clock() == began + 5.0


def test_killed_rank_is_told():
    ranks = [{"rank": 0, "steps": 40}, {"rank": 1, "steps": 17, "exit": "killed"}]
    run = RunBuilder("run.tdx", "observed").series("loss/train", [0, 1], [2.0, 1.0]).fact("ranks", ranks).build()
    found = run.diagnose()
    assert found.summary.startswith("Rank 1 was killed at about step 17") and found.verdict != "healthy"
