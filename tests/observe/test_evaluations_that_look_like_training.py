"""Evaluations with gradients and in train mode: what beginners write in a loop of their own, without a loader."""

from __future__ import annotations

import pytest
from small_loops import named

from traindx.signs import measure_all

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(600, 12)
Y = ((X[:, :4] ** 2).sum(1) > 3.4).long()
X, Y, X_val, Y_val = X[:400], Y[:400], X[400:], Y[400:]
net = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.3), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), 2e-3)
"""
LOOP = """
for epoch in range(25):
    for rows in torch.randperm(400).split(20):
        loss = F.cross_entropy(net(X[rows]), Y[rows])
        opt.zero_grad(); loss.backward(); opt.step()
    EVALUATE
"""
BY_ACCURACY = "out = net(X_val); score = (out.argmax(1) == Y_val).float().mean(); print(score.item())"
BY_MAXIMUM = "_, found = torch.max(net(X_val), 1); print((found == Y_val).sum().item() / 200)"
BY_LOSS = "value = F.cross_entropy(net(X_val), Y_val).item(); print(value)"
BY_HAND = "value = -net(X_val).log_softmax(1)[range(200), Y_val].mean(); print(loss.item(), value.item())"
LOADERS = """
from torch.utils.data import DataLoader, TensorDataset
training = DataLoader(TensorDataset(X, Y), 20, shuffle=True)
held_out = DataLoader(TensorDataset(X_val, Y_val), 50)
criterion = nn.CrossEntropyLoss()
for epoch in range(25):
    for x, y in training:
        loss = criterion(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    total = 0.0
    for x, y in held_out:
        total += criterion(net(x), y).item() / 4
    print(total)
"""
WITHIN_THE_STEP = """
for step in range(300):
    rows = torch.randint(0, 400, (20,))
    loss = F.cross_entropy(net(X[rows]), Y[rows])
    value = F.cross_entropy(net(X_val), Y_val)
    opt.zero_grad(); loss.backward(); opt.step()
    print(value.item())
"""
STYLES = {
    "accuracy": (LOOP.replace("EVALUATE", BY_ACCURACY), "accuracy/validation"),
    "maximum": (LOOP.replace("EVALUATE", BY_MAXIMUM), "accuracy/validation"),
    "loss": (LOOP.replace("EVALUATE", BY_LOSS), "loss/validation"),
    "by hand": (LOOP.replace("EVALUATE", BY_HAND), "loss/validation"),
    "loaders": (LOADERS, "loss/validation"),
    "within the step": (WITHIN_THE_STEP, "loss/validation"),
}


@pytest.mark.parametrize("style", STYLES)
def test_it_is_a_validation_result_and_its_missing_eval_is_found(observed, style: str) -> None:
    body, series = STYLES[style]
    seen = observed(HEAD + body)
    printed = [float(line.split()[-1]) for line in seen.out.splitlines()]
    values = seen.run.series(series).values
    # The first evaluations teach it what is held out; the last one is followed by no backward.
    assert len(values) >= len(printed) - 5
    assert values[-1] == pytest.approx(printed[-1], rel=1e-3)
    assert "eval-mode-missing" in named(seen.run)


def test_the_held_out_samples_are_not_taken_for_training_samples(observed) -> None:
    seen = observed(HEAD + STYLES["loss"][0])
    assert seen.run.facts["overlap"]["shared"] == 0
    assert seen.run.facts["overlap"]["eval_samples"] == 200


def test_it_is_found_on_the_fast_path_too(warm, script) -> None:
    """With the usual budget, most steps are not looked at, and the evaluations between them are."""
    body = STYLES["loss"][0].replace("range(25)", "range(60)")
    seen = warm.traindx(script(HEAD + body))
    assert len(seen.run.series("loss/validation").values) >= 50
    assert len(seen.run.series("loss/train").values) == 1200


def test_a_loss_computed_after_no_grad_has_ended_is_one_of_validation(warm, script) -> None:
    """With the usual budget: the fast path must not take it for a training loss."""
    evaluation = """with torch.no_grad(): out = net(X_val)
    print(F.cross_entropy(out, Y_val).item())"""
    seen = warm.traindx(script(HEAD + LOOP.replace("EVALUATE", evaluation).replace("range(25)", "range(60)")))
    assert len(seen.run.series("loss/validation").values) >= 58
    assert seen.run.series("loss/validation").values[-1] == pytest.approx(float(seen.out.split()[-1]), rel=1e-3)


# ── healthy programs in which forwards with gradients are no evaluation in train mode ────────────────

PLAIN = HEAD.replace("nn.Dropout(0.3), ", "")
HEALTHY = {
    "the mode does not matter": PLAIN + LOOP.replace("EVALUATE", BY_LOSS),
    "eval() and no no_grad()": HEAD + LOOP.replace("EVALUATE", f"net.eval(); {BY_LOSS}; net.train()"),
    "the loss before training": HEAD.replace("opt =", "print(F.cross_entropy(net(X), Y).item())\nopt =")
    + """
for epoch in range(200):
    loss = F.cross_entropy(net(X), Y)
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "a teacher in train mode": HEAD
    + """
teacher = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 2))
for epoch in range(20):
    for rows in torch.randperm(400).split(20):
        wanted = teacher(X[rows]).detach().softmax(1)
        loss = F.cross_entropy(net(X[rows]), Y[rows]) + 0.1 * F.mse_loss(net(X[rows]).softmax(1), wanted)
        opt.zero_grad(); loss.backward(); opt.step()
""",
    "the same slices over and over": HEAD
    + """
for epoch in range(30):
    for i in range(0, 400, 50):
        x, y = X[i:i+50], Y[i:i+50]
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
    again = F.cross_entropy(net(x), y).item()
""",
    "a policy that scores what it then trains on": HEAD
    + """
for rollout in range(20):
    states = torch.randn(64, 12)
    actions = net(states).argmax(1).detach()
    for epoch in range(4):
        loss = F.cross_entropy(net(states), actions)
        opt.zero_grad(); loss.backward(); opt.step()
""",
    "a discriminator that judges twice": HEAD
    + """
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 12))
og = torch.optim.Adam(G.parameters(), 1e-3)
fixed = torch.randn(64, 4)
for step in range(200):
    real, fake = X[torch.randint(0, 400, (32,))], G(torch.randn(32, 4))
    d = -(net(real)[:, 0].mean() - net(fake.detach())[:, 0].mean()) + 0.1 * (net(real) ** 2).mean()
    opt.zero_grad(); d.backward(); opt.step()
    g = -net(G(torch.randn(32, 4)))[:, 0].mean()
    og.zero_grad(); g.backward(); og.step()
    if step % 20 == 0:
        picture = G(fixed).mean().item()
""",
}


@pytest.mark.parametrize("name", HEALTHY)
def test_no_mode_is_missed_in_a_healthy_program(observed, name: str) -> None:
    seen = observed(HEALTHY[name])
    signs = measure_all(seen.run)
    assert not seen.run.facts.get("observers_off")
    assert all(signs.highest(sign) < 0.5 for sign in ("eval-in-train-mode", "samples-shared", "train-in-eval-mode"))
