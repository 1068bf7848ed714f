"""Two networks that are trained against each other: in balance, won by one of them, or no game at all."""

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
def real(n):
    angle = torch.rand(n) * 6.2832
    return torch.stack([angle.cos(), angle.sin()], 1) * 2 + 0.1 * torch.randn(n, 2)
G = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(.2), nn.Linear(48, 48), nn.LeakyReLU(.2), nn.Linear(48, 1))
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.999))
od = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.999))
ones, zeros = torch.ones(48, 1), torch.zeros(48, 1)
bce = nn.BCEWithLogitsLoss()
"""
SUMMED = (
    HEAD
    + """
for step in range(900):
    fake = G(torch.randn(48, 8))
    d = bce(D(real(48)), ones) + bce(D(fake.detach()), zeros)
    od.zero_grad(); d.backward(); od.step()
    g = bce(D(fake), ones)
    og.zero_grad(); g.backward(); og.step()
"""
)
ONE_BY_ONE = (
    HEAD
    + """
for step in range(900):
    od.zero_grad()
    bce(D(real(48)), ones).backward()
    fake = G(torch.randn(48, 8))
    bce(D(fake.detach()), zeros).backward()
    od.step()
    og.zero_grad()
    bce(D(fake), ones).backward()
    og.step()
"""
)
BALANCED = {
    "the sum of two losses": SUMMED,
    "real and fake one by one": ONE_BY_ONE,
    "least squares": SUMMED.replace("nn.BCEWithLogitsLoss()", "nn.MSELoss()"),
    "smooth labels": SUMMED.replace("D(real(48)), ones", "D(real(48)), 0.9 * ones"),
}
WON = {
    "a generator that hardly moves": SUMMED.replace("G.parameters(), 1e-3", "G.parameters(), 1e-6"),
}


@pytest.mark.parametrize("name", BALANCED)
def test_a_game_in_balance_is_healthy(observed, name: str) -> None:
    run = observed(BALANCED[name]).run
    sign = measure_all(run)["adversary-won"]
    assert sign.level < 0.5 and "Neither" in sign.text
    assert diagnose(run).verdict == "healthy"


@pytest.mark.parametrize("name", WON)
def test_a_game_that_one_side_has_won_is_sick_and_has_its_name(observed, name: str) -> None:
    run = observed(WON[name]).run
    found = diagnose(run)
    assert found.verdict == "sick"
    assert (found.headline.kind, found.headline.id) == ("condition", "not-learning")


def test_networks_that_help_each_other_are_not_called_healthy(observed) -> None:
    run = observed(SUMMED.replace("g = bce(D(fake), ones)", "g = bce(D(fake), zeros)")).run
    assert measure_all(run)["adversary-won"].level >= 0.5
    assert diagnose(run).verdict != "healthy"


NO_GAME = {
    "an encoder and a decoder with optimizers of their own": """
for step in range(300):
    x = real(48)
    loss = nn.functional.mse_loss(G(nn.functional.pad(x, (0, 6))), x)
    og.zero_grad(); loss.backward(); og.step()
    scored = bce(D(x), (x[:, :1] > 0).float())
    od.zero_grad(); scored.backward(); od.step()
""",
    "a domain classifier beside a task": """
task = nn.Linear(2, 1)
for step in range(300):
    x, y = real(48), real(48) + 1
    od.zero_grad(); (bce(D(x), ones) + bce(D(y), zeros)).backward(); od.step()
    h = G(torch.randn(48, 8))
    og.zero_grad(); (nn.functional.mse_loss(h, real(48)) + 0.1 * bce(D(h), ones)).backward(); og.step()
""",
    "two networks on their own": """
for step in range(300):
    x = real(48)
    og.zero_grad(); nn.functional.mse_loss(G(torch.ones(48, 8)), x).backward(); og.step()
    od.zero_grad(); nn.functional.mse_loss(D(x), x[:, :1]).backward(); od.step()
""",
}


@pytest.mark.parametrize("name", NO_GAME)
def test_what_is_no_game_is_not_judged_as_one(observed, name: str) -> None:
    run = observed(HEAD + NO_GAME[name]).run
    signs = measure_all(run)
    assert "adversary-won" in signs.missing
    assert all(finding.sign.id != "adversary-won" for finding in established(run, signs))
