"""How long a stretch of fast steps lasts: a number of steps, an amount of the thread's own time, and little longer."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
import torch

from traindx.observe.fast_path import steps as fast_steps
from traindx.observe.fast_path.steps import CLOCK_EVERY, FastSteps


@pytest.fixture
def clocks(monkeypatch):
    """The thread's own time, and the clock's."""
    times = SimpleNamespace(own=0.0, clock=0.0)
    monkeypatch.setattr(fast_steps, "thread_time", lambda: times.own)
    monkeypatch.setattr(fast_steps, "perf_counter", lambda: times.clock)
    return times


def steps_until_over(clocks, own_step: float, step: float, **until) -> int:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)
    session = SimpleNamespace(
        lone_forwards=False,
        hooks=SimpleNamespace(inside=False, save_due=math.inf),
        step=100,
        backward_sites={},
        loss_level=(1.0, 0.1),
        live_optimizers=lambda: [(0, optimizer)],
        have_stepped={0},
    )
    limits = {"until_step": 10**9, "own_time": 1e9, "time": 1e9} | until
    steps = FastSteps(session, **limits)
    for number in range(1, 10_000):
        clocks.own += own_step
        clocks.clock += step
        assert steps.takes_step(optimizer, (optimizer,), {})
        if steps.over:
            assert steps.steps == number
            return number
    raise AssertionError("it never ended")


@pytest.mark.parametrize("count", (1, 2, 3, 7, 8, 9, 20, 401))
def test_it_ends_at_the_very_step_that_may_be_looked_at(clocks, count):
    assert steps_until_over(clocks, 0.0, 0.0, until_step=100 + count) == count


def test_it_ends_by_the_threads_own_time_however_busy_the_machine(clocks):
    for waiting in (1.0, 50.0):
        steps = steps_until_over(clocks, 0.001, 0.001 * waiting, own_time=0.1)
        assert 100 <= steps <= 100 + CLOCK_EVERY


def test_it_ends_by_the_clock_where_the_thread_only_waits(clocks):
    assert 100 <= steps_until_over(clocks, 0.0, 0.01, time=1.0) <= 100 + CLOCK_EVERY


def test_steps_that_turn_out_to_be_slow_end_it_soon(clocks):
    assert steps_until_over(clocks, 5.0, 5.0, own_time=0.1) == 1
    assert steps_until_over(clocks, 0.06, 0.06, own_time=0.1) <= 3
