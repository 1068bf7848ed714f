"""Loops without an optimizer: whether the script clears its gradients between its own updates."""

from __future__ import annotations

import numpy as np
import pytest

SETUP = """
    x, y = torch.randn(64, 5), torch.randn(64, 1)
    w = torch.randn(5, 1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    for step in range(30):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
"""
IN_PLACE = """
        with torch.no_grad():
            for p in (w, b):
                p -= 0.01 * p.grad
"""
THROUGH_DATA = """
        for p in (w, b):
            p.data -= 0.01 * p.grad
"""
CLEARED = {
    "never": "",
    "to zero": """
        for p in (w, b):
            p.grad.zero_()
""",
    "to None": """
        w.grad = b.grad = None
""",
}


@pytest.mark.parametrize("update", [IN_PLACE, THROUGH_DATA], ids=["in place", "through data"])
@pytest.mark.parametrize("cleared", CLEARED)
def test_gradients_that_stay_are_counted(observed, update, cleared):
    outcome = observed(SETUP + update + CLEARED[cleared])
    assert outcome.code == 0, outcome.err
    fact = outcome.run.facts["by_hand"]
    assert fact["steps_heard"] >= 5
    assert fact["grads_kept"] == (fact["steps_heard"] if cleared == "never" else 0)


def test_backwards_that_add_up_before_an_update_are_no_fault(observed):
    accumulated = (
        SETUP
        + """
        if step % 3 == 2:
            with torch.no_grad():
                for p in (w, b):
                    p -= 0.01 * p.grad
                    p.grad = None
"""
    )
    outcome = observed(accumulated)
    assert outcome.run.facts["by_hand"]["grads_kept"] == 0


@pytest.mark.parametrize("call", ["grads, loss = grad_and_value", "grads = grad"])
def test_gradients_of_a_function(warm, observed, call):
    outcome = observed(f"""
from torch.func import functional_call, grad, grad_and_value

model = nn.Linear(6, 3)
x = torch.randn(64, 6)
y = x[:, :3].argmax(1)
weights = {{name: p.detach() for name, p in model.named_parameters()}}
said = []

def score(weights, x, y):
    return F.cross_entropy(functional_call(model, weights, (x,)), y)

for step in range(60):
    said.append(float(score(weights, x, y)))
    {call}(score)(weights, x, y)
    weights = {{name: p - 0.5 * grads[name] for name, p in weights.items()}}
slopes = torch.func.vmap(grad(lambda v: (v ** 2).sum()))(x)  # of every sample: no training
print(*said)
""")
    assert "observers_off" not in outcome.run.facts
    own = [float(word) for word in outcome.out.split()]
    np.testing.assert_allclose(outcome.run.series("loss/train").values, own, rtol=1e-6)
    assert outcome.run.facts["backward_sites"][0]["functional"] is True
    assert outcome.out == warm.python(outcome.script).out
