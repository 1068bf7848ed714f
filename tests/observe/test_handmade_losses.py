"""Losses that a script computes itself, told of as the standard functions are."""

from __future__ import annotations

import pytest

SCRIPT = """
    x = torch.randn(64, 5)
    y = 3.0 + 2.0 * torch.randn(64, 1)
    labels = torch.randint(0, 3, (64,))
    rows = torch.arange(64)
    model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, {outputs}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(12):
        optimizer.zero_grad()
        out = model(x)
        loss = {loss}
        loss.backward()
        optimizer.step()
"""
ERRORS = {
    "((out - y) ** 2).mean()": ("mse_loss", 1.0),
    "torch.mean((y - out).pow(2))": ("mse_loss", 1.0),
    "0.5 * (out - y).square().mean()": ("mse_loss", 0.5),
    "(lambda error: error * error)(out - y).sum() / 64": ("mse_loss", 1.0),
    "((out.squeeze(1) - y.squeeze(1)) ** 2).sum()": ("mse_loss", 64.0),
    "(y - out).abs().mean()": ("l1_loss", 1.0),
    "((out - y) ** 2).mean() + 0.0 * (model[0].weight ** 2).sum()": ("mse_loss", 1.0),
}
# Any other function of the difference: where it equals the squared error, so does the ratio.
FUNCTIONS = (
    "((out - y) ** 4).sqrt().mean()",
    "torch.where((out - y).abs() < 1e9, (out - y) ** 2, (out - y).abs()).mean()",
    "(y - out).clamp(min=-1e9).pow(2).mean()",
)
LIKELIHOODS = (
    "-torch.log_softmax(out, dim=1)[rows, labels].mean()",
    "-(out - torch.logsumexp(out, dim=1, keepdim=True))[rows, labels].mean()",
    "-out.log_softmax(1).gather(1, labels.unsqueeze(1)).mean()",
    "-(out - out.exp().sum(1, keepdim=True).log())[rows, labels].mean()",
    "-torch.log(out.softmax(1)[rows, labels]).mean()",
    "-(out.exp() / out.exp().sum(1, keepdim=True))[rows, labels].log().mean()",
)
OTHERS = (
    "((out - out.flip(0)) ** 2).mean()",  # nothing to compare with but itself
    "out.mean()",
)


@pytest.fixture
def loss_facts(observed):
    def observe(loss: str, outputs: int):
        outcome = observed(SCRIPT.format(loss=loss, outputs=outputs))
        assert outcome.code == 0, outcome.err
        assert "observers_off" not in outcome.run.facts
        return outcome.run.facts["losses"], outcome.run.facts

    return observe


@pytest.mark.parametrize("loss", ERRORS)
def test_errors_bring_their_targets(loss_facts, loss):
    (call,), facts = loss_facts(loss, 1)
    name, ratio = ERRORS[loss]
    assert call["fn"] == name and call["value_ratio"] == pytest.approx(ratio, rel=1e-4)
    # The targets were drawn around 3 with a deviation of 2.
    assert facts["targets/train"]["mean"] == pytest.approx(3.0, abs=1.0)
    assert facts["targets/train"]["std"] == pytest.approx(2.0, abs=0.7)


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_other_functions_of_an_error_bring_their_targets_too(loss_facts, loss):
    (call,), facts = loss_facts(loss, 1)
    assert call["fn"] == "residual_loss" and call["value_ratio"] == pytest.approx(1.0, rel=1e-4)
    assert facts["targets/train"]["mean"] == pytest.approx(3.0, abs=1.0)
    assert call["trivial"] == pytest.approx(facts["targets/train"]["std"] ** 2, rel=1e-3)


def test_the_trivial_loss_is_the_functions_own(loss_facts):
    (call,), facts = loss_facts("nn.functional.mse_loss(out, y, reduction='sum')", 1)
    assert call["trivial"] == pytest.approx(64 * facts["targets/train"]["std"] ** 2, rel=1e-3)


@pytest.mark.parametrize("loss", LIKELIHOODS)
def test_likelihoods_bring_their_labels(loss_facts, loss):
    (call,), facts = loss_facts(loss, 3)
    assert call["fn"] == "cross_entropy" and call["value_ratio"] == pytest.approx(1.0, rel=1e-4)
    assert facts["targets/train"]["kind"] == "class ids" and facts["targets/train"]["classes"] == 3


def test_a_softmax_of_a_softmax_by_hand_is_seen_as_one(loss_facts):
    probabilities = "(out.exp() / out.exp().sum(1, keepdim=True))"
    (call,), _ = loss_facts(
        f"-({probabilities} - {probabilities}.exp().sum(1, keepdim=True).log())[rows, labels].mean()", 3
    )
    assert call["input"]["row_sum_min"] == pytest.approx(1.0, rel=1e-4) == call["input"]["row_sum_max"]


@pytest.mark.parametrize("loss", OTHERS)
def test_what_is_not_one_of_these_is_left_alone(loss_facts, loss):
    assert loss_facts(loss, 1)[0] == []
