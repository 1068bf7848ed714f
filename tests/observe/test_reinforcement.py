"""Reinforcement learning is recognised also where no library shows it, and ordinary training is not taken for it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import traindx
from traindx.observe.reinforcement import actions_in, has_reward, policy_gradients_in

SCRIPT = """
import torch
from torch import nn

class Corridor:
    def reset(self):
        self.place = 0
        return torch.tensor([0.0])

    def step(self, action):
        self.place += 1 if action else -1
        return torch.tensor([float(self.place)]), float(self.place > 3), abs(self.place) > 3

env, policy = Corridor(), nn.Linear(1, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(20):
    state, done, logs, total = env.reset(), False, [], 0.0
    while not done and len(logs) < 20:
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        logs.append(choice.log_prob(action))
        state, reward, done = env.step(action.item())
        total += reward
    loss = -total * torch.stack(logs).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_policy_gradient_by_hand_is_handed_over(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    words = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", "train.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert "OUT OF SCOPE" in done.stderr
    assert "env.step(action.item())" in " ".join(done.stderr.split())
    # The list of an episode's log-probabilities holds graphs of this step, not of earlier ones.
    assert "hoard" not in traindx.load(tmp_path / "run.tdx").facts


@pytest.mark.parametrize(
    ("line", "known"),
    [("rew.append(r)", True), ("rewards = []", True), ("adv = (r - v).detach()", True), ("crew = screw(1)", False)],
)
def test_a_variable_is_named_after_a_reward(line: str, known: bool) -> None:
    assert has_reward(ast.parse(line)) is known


def test_it_is_recognised_while_the_run_goes_on(tmp_path: Path) -> None:
    waits = "import os, signal, time\n" + SCRIPT.replace("range(20)", "range(400)").replace(
        "    loss.backward()\n", "    loss.backward()\n    time.sleep(0.01)\n"
    )
    (tmp_path / "train.py").write_text(waits + "os.kill(os.getpid(), signal.SIGKILL)\n")
    words = [sys.executable, "-m", "traindx", "run", "--out", "run.tdx", "train.py"]
    subprocess.run(words, cwd=tmp_path, capture_output=True)
    assert traindx.load(tmp_path / "run.tdx").facts["rl"] == ["env.step(action.item())"]


@pytest.mark.parametrize(
    "text",
    [
        "optimizer.step()\nscheduler.step(epoch)",
        "loss = -(reward_chosen - reward_rejected).sigmoid().log().mean()\noptimizer.step()",  # a reward model
        "action = labels\nloss = criterion(model(frames), action)\nscaler.step(optimizer)",  # actions as labels
        "next_state = simulator.step(action)\nloss = mse(model(state, action), next_state)",  # a model of the world
    ],
)
def test_ordinary_training_is_not(text: str) -> None:
    tree = ast.parse(text)
    assert not (actions_in(tree) and has_reward(tree))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a = dist.sample()\nloss = -(dist.log_prob(a) * reward).mean()", ["dist.log_prob(a)"]),
        ("z = q.rsample()\nkl = q.log_prob(z) - p.log_prob(z)", []),  # a variational autoencoder
        ("loss = -flow.log_prob(x).mean()", []),  # a density model
    ],
)
def test_policy_gradients_by_hand(source, found):
    assert policy_gradients_in(ast.parse(source)) == found
