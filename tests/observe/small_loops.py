"""A small regression to plant things in, and what a run of it says."""

from __future__ import annotations

import json

from traindx.diagnosis import diagnose


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
