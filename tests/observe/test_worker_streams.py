"""Workers of one loader that yield the same stream, and those that share it."""

from __future__ import annotations

import pytest
from small_loops import named

from traindx.signs import measure_all

PROGRAM = """
import itertools
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, get_worker_info
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 8)
Y = X[:, :1] * 2 + X[:, 1:2]
class Stream(IterableDataset):
    def __iter__(self):
        BODY
data = Stream()
loader = DataLoader(data, batch_size=16, num_workers=2)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
"""
UNSHARDED = PROGRAM.replace("BODY", "yield from zip(X, Y)")


def test_a_stream_that_nobody_shards_is_seen(observed) -> None:
    run = observed(UNSHARDED).run
    sign = measure_all(run)["workers-same-stream"]
    assert sign.level == 1.0 and "2 workers of Stream" in sign.text
    assert run.facts["worker_streams"][0]["equal"] == run.facts["worker_streams"][0]["turns"] >= 10
    assert "duplicated-data" in named(run)


HEALTHY = {
    "sharded by worker": PROGRAM.replace(
        "BODY", "i = get_worker_info(); yield from itertools.islice(zip(X, Y), i.id, None, i.num_workers)"
    ),
    "drawn by each worker": PROGRAM.replace(
        "BODY", "rows = torch.randperm(320)[:160]; yield from zip(X[rows], Y[rows])"
    ),
    "one constant batch": PROGRAM.replace("BODY", "for _ in range(160): yield X[0], Y[0]"),
    "one worker": UNSHARDED.replace("num_workers=2", "num_workers=1"),
    "a table": UNSHARDED.replace("data = Stream()", "data = TensorDataset(X, Y)"),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_workers_that_yield_what_is_meant_are_not_accused(observed, name: str) -> None:
    assert measure_all(observed(HEALTHY[name]).run).highest("workers-same-stream") == 0.0
