"""A log that is too long for the memory keeps its extremes, its ends, and what is not finite."""

from __future__ import annotations

import numpy as np
import pytest

from traindx.readers.rows import collector
from traindx.readers.rows.collector import Collector


@pytest.mark.parametrize("by_rows", [True, False])
def test_a_thinned_log_keeps_extremes_ends_and_what_is_not_finite(
    by_rows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "MOST_CELLS", 20_000)
    monkeypatch.setattr(collector, "MOST_WAITING", 5_000)
    rng = np.random.default_rng(0)
    loss = rng.normal(2, 0.1, 100_001)
    loss[[33_333, 66_667, 77_777]] = 50.0, -9.0, np.nan
    spikes = np.arange(1_001, 100_000, 9_999)
    loss[spikes] = 20 + np.arange(len(spikes))
    received = Collector()
    if by_rows:
        for step, value in enumerate(loss.tolist()):
            received.add({"step": step, "loss": value})
    else:
        for begin in range(0, len(loss), 3_000):
            some = loss[begin : begin + 3_000]
            at = np.arange(len(some))
            received.add_block(len(some), {"step": (at, at + float(begin)), "loss": (at, some)})
    table = received.table()
    steps, values = table.dense("step"), table.dense("loss")
    assert 1_000 < table.length <= 15_000
    assert {0, 33_333, 66_667, 77_777, 100_000, *spikes.tolist()} <= set(steps.astype(int).tolist())
    assert np.array_equal(values, loss[steps.astype(int)], equal_nan=True)
    assert np.all(np.diff(steps) > 0)
