"""A model that settles at a poor level, beside healthy runs that settle where their task ends."""

from __future__ import annotations

import pytest

from traindx.conditions import established
from traindx.diagnosis import diagnose
from traindx.signs import measure_all

HEAD = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
WIDTH, EPOCHS, FLIPPED = 4, 60, 0.0
turn, kind = torch.rand(1000) * 3 + 0.3, torch.randint(0, 2, (1000,))
angle = turn * 3.5 + kind * 3.1416
X = torch.stack([turn * angle.cos(), turn * angle.sin()], 1) + 0.05 * torch.randn(1000, 2)
Y = kind.float()[:, None]
Y = torch.where(torch.rand(1000, 1) < FLIPPED, 1 - Y, Y)
net = nn.Sequential(nn.Linear(2, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
opt, bce = torch.optim.Adam(net.parameters(), 1e-2), nn.BCEWithLogitsLoss()
for epoch in range(EPOCHS):
    for rows in torch.randperm(800).split(32):
        loss = bce(net(X[rows]), Y[rows])
        opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        value = bce(net(X[800:]), Y[800:]).item()
"""
NARROW = (
    HEAD.replace("nn.Linear(WIDTH, WIDTH), nn.ReLU(), ", "")
    .replace("Y = torch.where(torch.rand(1000, 1) < FLIPPED, 1 - Y, Y)\n", "")
    .replace("= 4, 60,", "= 4, 100,")
)
WIDE = HEAD.replace("WIDTH, EPOCHS, FLIPPED = 4,", "WIDTH, EPOCHS, FLIPPED = 48,")
LINEAR = WIDE.replace("kind * 3.1416", "0").replace("kind.float()[:, None]", "(X[:, :1] > 0).float()")


def underfits(run) -> bool:
    return "underfitting" in [finding.id for finding in established(run, measure_all(run))]


def test_a_narrow_network_on_two_spirals_underfits(observed) -> None:
    run = observed(NARROW).run
    found = diagnose(run)
    assert underfits(run) and found.headline.id == "underfitting"
    assert any("Too small, or too short?" in remedy.text for c in found.conditions for remedy in c.remedies)


HEALTHY = {
    "wide enough": WIDE,
    "labels of which a tenth is wrong": LINEAR.replace("FLIPPED = 48, 60, 0.0", "FLIPPED = 4, 30, 0.1"),
    "an easy task by a narrow network": LINEAR.replace("= 48, 60,", "= 4, 60,"),
    "cut short on its way": WIDE.replace("= 48, 60,", "= 48, 6,"),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_run_that_reached_what_its_task_allows_does_not(observed, name: str) -> None:
    assert not underfits(observed(HEALTHY[name]).run)
