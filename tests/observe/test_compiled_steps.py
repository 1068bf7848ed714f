"""Steps inside compiled functions: the optimizer's alone, and a whole step of the training."""

from __future__ import annotations

import numpy as np
from small_loops import told

START = """
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
"""

STEP_ALONE = """
    @torch.compile(backend="eager")
    def step():
        optimizer.step()

    for number in range(60):
        x = torch.randn(16, 8)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        step()
        losses.append(loss.item())
"""

WHOLE = """
    @torch.compile(backend="eager")
    def train(x):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        loss.backward()
        optimizer.step()
        return loss

    for number in range(60):
        losses.append(train(torch.randn(16, 8)).item())
"""


def test_a_compiled_step_of_an_optimizer_is_heard_like_any_other(observed):
    ran = observed(START + STEP_ALONE + "\n    print(json.dumps(losses))")
    facts = ran.run.facts
    assert facts["steps"] == facts["backwards"] == facts["optimizers"][0]["steps"] == 60
    assert facts["optimizers"][0]["grads_kept"] == 0
    assert "not_visible" not in facts and "observers_off" not in facts
    assert len(ran.run.layers("update_ratio").steps) > 5
    np.testing.assert_allclose(ran.run.series("loss/train").values, told(ran), rtol=1e-6)


def test_of_a_compiled_training_step_the_count_and_the_loss_are_known(observed):
    ran = observed(START + WHOLE + "\n    print(json.dumps(losses))")
    facts = ran.run.facts
    assert facts["steps"] == facts["backwards"] == facts["optimizers"][0]["steps"] == 60
    assert facts["optimizers"][0]["grads_kept"] == 0
    assert facts["not_visible"] == [
        "train() is compiled and steps an optimizer: its gradients and layers are not visible"
    ]
    np.testing.assert_allclose(ran.run.series("loss/train").values, told(ran), rtol=1e-6)
