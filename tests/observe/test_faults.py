"""An error inside an observer switches that observer off, is recorded, and never reaches the training."""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import pytest
import torch

from traindx.observe import schedule
from traindx.observe.hook_points.hooks import MOMENTS
from traindx.observe.metric_queue import MetricQueue
from traindx.observe.recording import Recording
from traindx.observe.runner import find_program, run_program
from traindx.observe.watchers import all_watchers, updates
from traindx.record import load

EVERYTHING = str(Path(__file__).parent / "everything.py")
WATCHERS = {kind.name: kind for kind in all_watchers()}
AMONG_RANKS = ("replicated", "reduced")  # need several processes: tests/observe/test_ranks.py
AMONG_WORKERS = ("stream_batch",)  # needs processes that load: tests/observe/test_worker_streams.py
FAULTS = [
    (name, moment)
    for name, watcher in WATCHERS.items()
    for moment in (*MOMENTS, "flush", "finish")
    if hasattr(watcher, moment) and moment not in (*AMONG_RANKS, *AMONG_WORKERS)
]


@pytest.fixture(scope="module")
def bare_output() -> str:
    with contextlib.redirect_stdout(io.StringIO()) as heard:
        runpy.run_path(EVERYTHING, run_name="__main__")
    return heard.getvalue()


@pytest.fixture(autouse=True)
def no_looks_beyond_the_first(monkeypatch):
    """So short a training would be looked at from its first to its last step: here fast steps must occur too."""
    monkeypatch.setattr(schedule, "GRACE", 0.0)
    monkeypatch.setattr(updates, "OBSERVED_EVERY", 1e9)


def observe(path, capsys):
    recording = Recording(path, budget=1e-6)
    ending = run_program(find_program(EVERYTHING, as_module=False), [], recording)
    recording.writer.flush()  # the run is so short that it may end before the first one
    recording.close(ending.status, ending.error)
    assert (ending.code, ending.status) == (0, "ok")
    return capsys.readouterr().out


def test_every_moment_occurs(tmp_path, monkeypatch, capsys):
    heard = set()
    for watcher in WATCHERS.values():
        for moment in MOMENTS:
            if hasattr(watcher, moment):
                original = getattr(watcher, moment)
                monkeypatch.setattr(
                    watcher, moment, lambda *a, original=original, moment=moment: (heard.add(moment), original(*a))
                )
    observe(tmp_path / "run.tdx", capsys)
    assert heard == {moment for _, moment in FAULTS if moment in MOMENTS}
    assert "observers_off" not in load(tmp_path / "run.tdx").facts


@pytest.mark.parametrize(("name", "moment"), FAULTS, ids=lambda value: value.replace(" ", "-"))
def test_fault_switches_the_observer_off_and_nothing_else(tmp_path, monkeypatch, capsys, bare_output, name, moment):
    def fail(*_args):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(WATCHERS[name], moment, fail)
    assert observe(tmp_path / "run.tdx", capsys) == bare_output
    run = load(tmp_path / "run.tdx")
    assert run.facts["observers_off"] == {name: f"ZeroDivisionError at {moment}: planted"}
    assert [event.data["observer"] for event in run.events_of("observer-off")] == [name]
    assert run.facts["exit"] == "ok"
    assert name == "losses" or len(run.series("loss/train")) > 0  # the others go on


def test_fault_in_the_inbox_is_recorded(tmp_path, monkeypatch, capsys, bare_output):
    monkeypatch.setattr(MetricQueue, "_drain_scalars", lambda self: 1 / 0)
    assert observe(tmp_path / "run.tdx", capsys) == bare_output
    assert "ZeroDivisionError" in load(tmp_path / "run.tdx").facts["observers_off"]["metrics"]


def test_fault_while_attaching_is_recorded(tmp_path, monkeypatch, capsys, bare_output):
    monkeypatch.setattr("traindx.observe.session.Session.__init__", lambda *a: 1 / 0)
    assert observe(tmp_path / "run.tdx", capsys) == bare_output
    assert "ZeroDivisionError" in load(tmp_path / "run.tdx").facts["observers_off"]["everything"]


def test_torch_is_put_back_as_it_was(tmp_path, capsys):
    from torch.nn import functional
    from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

    def wrapped():
        owners = (torch.nn.Module, torch.Tensor, torch.optim.Optimizer, torch.utils.data.DataLoader)
        kept = [dict(vars(owner)) for owner in owners]
        return kept, functional.cross_entropy, torch.autograd.backward, torch.compile, torch.nn.utils.clip_grad_norm_

    before = wrapped()
    observe(tmp_path / "run.tdx", capsys)
    assert wrapped() == before
    assert not _global_optimizer_pre_hooks and not _global_optimizer_post_hooks
