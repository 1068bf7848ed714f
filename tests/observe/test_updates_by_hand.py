"""Loops without an optimizer: whether the script clears its gradients between its own updates."""

from __future__ import annotations

import pytest

SETUP = """
    import torch
    torch.manual_seed(0)
    torch.set_num_threads(1)
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
def test_gradients_that_stay_are_counted(warm, script, update, cleared):
    outcome = warm.traindx(script(SETUP + update + CLEARED[cleared]))
    assert outcome.code == 0, outcome.err
    fact = outcome.run.facts["by_hand"]
    assert fact["steps_heard"] >= 5
    assert fact["grads_kept"] == (fact["steps_heard"] if cleared == "never" else 0)


def test_backwards_that_add_up_before_an_update_are_no_fault(warm, script):
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
    outcome = warm.traindx(script(accumulated))
    assert outcome.run.facts["by_hand"]["grads_kept"] == 0
