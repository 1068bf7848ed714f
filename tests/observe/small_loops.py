"""A small regression to plant things in, and a run of it in which no step goes unseen."""

from __future__ import annotations

import json

from traindx.diagnosis import diagnose


def observed(warm, path):
    """With a budget that leaves no step out for want of time: a busy machine must not change what is looked at."""
    return warm.traindx(path, options=("--budget", "100"))


def named(run):
    """The causes that the diagnosis names."""
    return {hypothesis.cause for hypothesis in diagnose(run).hypotheses}


def told(outcome):
    """The JSON that a script printed as its last line."""
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out.splitlines()[-1])


def train(body: str, setup: str = "", steps: int = 12) -> str:
    """A regression loop around `body`, which computes `loss` from `x` and `y`."""
    return f"""
import json, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
{setup}
optimizer = globals().get("optimizer") or torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for step in range({steps}):
    x = torch.randn(16, 4)
    y = x[:, :1]
    optimizer.zero_grad()
{chr(10).join("    " + line for line in body.strip().splitlines())}
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(json.dumps(losses))
"""
