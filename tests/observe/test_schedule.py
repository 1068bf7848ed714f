"""The time budget: what looks may cost, and that a short run is seen all the same."""

from __future__ import annotations

import pytest

from traindx.observe import schedule as schedules
from traindx.observe.schedule import DEEP, GRACE, Schedule

BARE_STEP = 0.09  # seconds of a step without any look


def looks_made(
    monkeypatch: pytest.MonkeyPatch, price: float, steps: int, share: float = 0.01
) -> tuple[list[int], float]:
    """The steps that are looked at deeply where each such look costs `price`, and the seconds spent on looks."""
    now = [0.0]
    monkeypatch.setattr(schedules, "thread_time", lambda: now[0])
    schedule, deep = Schedule(share), []
    for step in range(steps):
        chosen = schedule.plan(step)
        cost = price if chosen == DEEP else price / 20 if chosen else 0.0
        schedule.charge(cost, of_look=True)
        now[0] += BARE_STEP + cost
        if chosen == DEEP:
            deep.append(step)
    return deep, schedule.looks


@pytest.mark.parametrize("price", [0.1, 0.2])
def test_dear_looks_keep_to_the_share_and_the_grace(monkeypatch, price):
    """Two looks are made whatever they cost; from then on time must have been earned."""
    deep, spent = looks_made(monkeypatch, price, steps=200)
    assert deep[:2] == [0, 1] and 2 not in deep
    assert spent <= max(2 * price, 0.01 * 200 * (BARE_STEP + price / 20) + GRACE)
    longer, _ = looks_made(monkeypatch, price, steps=4000)
    assert len(longer) > len(deep)


def test_cheap_looks_are_dense_at_the_start_and_thin_out(monkeypatch):
    deep, spent = looks_made(monkeypatch, 0.001, steps=2000)
    assert deep[:3] == [0, 1, 2]
    assert sum(step < 200 for step in deep) > sum(step >= 1800 for step in deep) > 0
    assert spent <= 0.01 * 2000 * BARE_STEP + GRACE


def test_an_alert_brings_looks_back(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(schedules, "thread_time", lambda: now[0])
    schedule = Schedule(0.01)
    looked = []
    for step in range(1000):
        now[0] += BARE_STEP
        if step == 900:
            schedule.alert(step)
        if schedule.plan(step) == DEEP:
            looked.append(step)
    assert set(range(900, 907)) <= set(looked)
