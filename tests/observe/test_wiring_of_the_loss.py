"""What stands between the model's answer and the loss, and in which order axes come: seen as it is computed."""

from __future__ import annotations

import json

import pytest
import torch
from small_loops import train

from traindx.observe.graph_reading.digest import digest
from traindx.observe.graph_reading.graphs import nodes

ROWS = 32
SCORES = torch.randn(ROWS, 5, requires_grad=True)
LABELS = torch.randint(0, 5, (ROWS,))
VALUES = torch.randn(ROWS, 5)


def graph_of(loss: torch.Tensor) -> dict[str, object]:
    return digest(list(nodes(loss)))


@pytest.mark.parametrize(
    ("loss", "lowers"),
    [
        (lambda log: log[torch.arange(ROWS), LABELS].mean(), True),
        (lambda log: log.gather(1, LABELS[:, None]).squeeze(1).sum() / ROWS, True),
        (lambda log: log[:5].diagonal().mean(), True),
        (lambda log: -log[torch.arange(ROWS), LABELS].mean(), False),
        (lambda log: -1 * log[torch.arange(ROWS), LABELS].mean(), False),
        (lambda log: (log[torch.arange(ROWS), LABELS] * torch.randn(ROWS)).mean(), False),  # rewards have any sign
        (lambda log: torch.nn.functional.nll_loss(log, LABELS), False),
        (lambda log: (log.exp() * log).sum(1).mean(), False),  # an entropy
    ],
)
def test_a_likelihood_that_the_loss_lowers(loss, lowers):
    assert graph_of(loss(SCORES.log_softmax(1)))["lowers_likelihood"] is lowers


@pytest.mark.parametrize(
    ("loss", "cancel"),
    [
        (lambda error: error.mean().abs(), True),
        (lambda error: 3 * error.mean() ** 2, True),
        (lambda error: error.sum().abs() / ROWS, True),
        (lambda error: error.abs().mean(), False),
        (lambda error: (error**2).mean().sqrt(), False),
        (lambda error: error.mean(0).pow(2).mean(), False),  # a mean over one axis is a quantity of its own
    ],
)
def test_errors_that_cancel_before_their_size_is_taken(loss, cancel):
    assert graph_of(loss(SCORES - VALUES))["errors_cancel"] is cancel


def test_moments_that_are_compared_are_no_errors():
    assert graph_of((SCORES.mean() - VALUES.mean()).abs())["errors_cancel"] is False


def test_rows_that_are_picked_by_the_labels_of_all():
    log = SCORES.log_softmax(1)
    assert [entry["out"] for entry in graph_of(-log[:, LABELS].mean())["broadcasts"]] == [[ROWS, ROWS]]
    assert not graph_of(-log[torch.arange(ROWS), LABELS].mean())["broadcasts"]
    assert not graph_of(-log[:, torch.tensor([0, 2])].mean())["broadcasts"]  # two classes, on purpose


def test_one_row_of_outputs_spread_over_the_batch(observed):
    spread = "loss = F.mse_loss(model(x).mean(0, keepdim=True).expand_as(y), y)"
    assert observed(train(spread)).run.facts["losses"][0]["input"]["one_row"] is True
    plain = "loss = F.mse_loss(model(x), y)"
    assert observed(train(plain)).run.facts["losses"][0]["input"]["one_row"] is False


def test_sums_of_soft_targets(observed):
    body = "loss = F.cross_entropy(model(x).expand(16, 3) * 1.0, torch.full((16, 3), 0.75))"
    target = observed(train(body)).run.facts["losses"][0]["target"]
    assert (target["row_sum_min"], target["row_sum_max"]) == (2.25, 2.25)


@pytest.mark.parametrize(
    ("axes", "lost"), [("transpose(0, 1).reshape(16, 12)", 1), ("transpose(1, 2).reshape(16, 12)", None)]
)
def test_a_reshape_that_looks_for_the_batch_where_it_is_no_more(observed, axes, lost):
    body = f"h = torch.arange(192.0).view(16, 4, 3).{axes}\nloss = F.mse_loss(model(h[:, :4] / 100), y)"
    ops = observed(train(body)).run.facts.get("ops") or [{}]
    assert ops[0].get("batch_axis") == lost


def test_what_a_layer_for_sequences_was_given(observed):
    setup = "rnn = nn.GRU(4, 4)\noptimizer = torch.optim.SGD([*model.parameters(), *rnn.parameters()], lr=0.01)"
    body = "loss = F.mse_loss(model(rnn(x.unsqueeze(1).expand(16, 7, 4))[0][:, -1]), y)"
    models = observed(train(body, setup)).run.facts["models"]
    found = [module for model in models for module in model["modules"] if module["type"] == "GRU"]
    assert found[0]["given"] == [16, 7, 4] and found[0]["settings"]["batch_first"] is False


def test_samples_of_an_encoder_and_a_decoder_are_those_the_encoder_got(observed):
    setup = "encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)\nxs = torch.randn(40, 4)\n"
    setup += "optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)"
    body = """
rows = torch.arange(16) + 16 * (step % 2)
loss = F.mse_loss(decoder(encoder(xs[rows])), xs[rows])
with torch.no_grad():
    losses.append(F.mse_loss(decoder(encoder(xs[16:])), xs[16:]).item())
"""
    overlap = observed(train(body, setup)).run.facts["overlap"]
    assert (overlap["eval_samples"], overlap["shared"]) == (24, 16)


def test_copies_are_told_from_the_few_samples_that_there_are(observed):
    """Sixty-four pixels of seventeen shades repeat only as copies; three yes/no columns repeat by themselves."""
    setup = "data = torch.randint(0, {shades}, (64, 64)).float()\nmodel = nn.Linear(64, 1)\n"
    setup += "optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)"
    body = "loss = F.mse_loss(model(data[torch.randint(0, 64, (16,))] * mask), y)"
    pixels = setup.format(shades=17) + "\nmask = 1.0"
    columns = setup.format(shades=2) + "\nmask = torch.tensor([1.0] * 3 + [0.0] * 61)"
    assert observed(train(body, pixels)).run.facts["repeats"]["continuous"] is True
    assert observed(train(body, columns)).run.facts["repeats"]["continuous"] is False


def test_tokens_of_training_and_evaluation_are_compared(observed):
    setup = "words = nn.EmbeddingBag(20, 1)\noptimizer = torch.optim.SGD(words.parameters(), lr=0.1)"
    body = """
loss = F.mse_loss(words(torch.randint(0, 10, (16, 8))), y)
with torch.no_grad():
    losses.append(F.mse_loss(words(torch.randint({low}, {low} + 10, (16, 8))), y).item())
"""
    alike, other = (observed(train(body.format(low=low), setup)).run for low in (0, 5))
    assert alike.facts["data/eval"]["ids"]["distance"] < 0.2
    found = other.facts["data/eval"]["ids"]
    assert 0.4 < found["distance"] < 0.6 and 0.4 < found["unseen"] < 0.6


@pytest.mark.parametrize(("targets", "alike"), [("torch.randn(16, 1)", False), ("torch.randn(16, 1) + 9 * step", True)])
def test_targets_of_a_batch_are_compared_with_those_of_others(observed, targets, alike):
    run = observed(train(f"loss = F.mse_loss(model(x), {targets})")).run
    groups = run.facts["targets/train"]["groups"]
    assert (groups["batches"], groups["rows"]) == (12, 16)
    assert groups["between"] > 100 * groups["within"] if alike else groups["between"] < 0.3 * groups["within"]


def test_the_gradient_at_both_ends_of_a_recurrence(observed):
    """Of h = tanh(w h + u x) with one unit: the chain rule by hand, at the last step."""
    setup = "w = nn.Parameter(torch.tensor([[0.5]]))\noptimizer = torch.optim.SGD([w], lr=0.0)"
    body = """
h, slopes = torch.zeros(16, 1), []
for t in range(10):
    h = torch.tanh(h @ w + x[:, :1])
    slopes.append((1 - h.detach() ** 2) * 0.5)
loss = h.mean()
losses.append((torch.stack(slopes[1:]).prod(0).norm() / 16**0.5).item())
"""
    outcome = observed(train(body, setup))
    by_hand = json.loads(outcome.out)[::2]  # each followed by its step's loss
    seen = outcome.run.series("chain/gradient_ratio")
    assert len(seen) >= 3 and set(outcome.run.series("chain/length").values) == {10}
    assert seen.values.tolist() == pytest.approx([by_hand[step] for step in seen.steps], rel=1e-4)


def test_pairs_of_rarer_and_common_cases_in_order(observed):
    setup = "model = nn.Linear(4, 1)\nnn.init.zeros_(model.weight)\nmodel.weight.data[0, 0] = 1.0\n"
    setup += "optimizer = torch.optim.SGD(model.parameters(), lr=0.0)"
    body = "loss = F.binary_cross_entropy_with_logits(model(x), (x[:, :1] > {cut}).float())"
    perfect = observed(train(body.format(cut=0.5), setup)).run.facts["targets/train"]["ranking"]
    assert perfect["share"] == 1.0 and perfect["rarer"] > 20
    drawn = body.replace("x[:, :1] > {cut}", "torch.rand(16, 1) > 0.7")
    guess = observed(train(drawn, setup, steps=60)).run.facts["targets/train"]["ranking"]
    assert guess["share"] == pytest.approx(0.5, abs=0.12)


def test_what_the_first_layers_get_after_the_model_scaled_its_inputs(observed):
    setup = """
class Scaling(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(4, 8), nn.Linear(8, 1)
    def forward(self, x):
        return self.outer(torch.relu(self.inner(x / 255)))
model = Scaling()"""
    body = "loss = F.mse_loss(model(torch.full((16, 4), 51.0)), y)"
    layers = observed(train(body, setup)).run.facts["first_layers"]
    assert [layer["rms"] for layer in layers] == pytest.approx([0.2])
    assert layers[0]["feature_std"] == pytest.approx([0.0] * 4)


def test_labels_of_losses_that_want_a_sign(observed):
    body = "loss = F.cosine_embedding_loss(model[0](x), model[0](x).flip(0), (x[:, 0] > 0).long())"
    assert observed(train(body)).run.facts["losses"][0]["signed"] == {"min": 0.0, "max": 1.0}
    body = "loss = F.soft_margin_loss(model(x), (x[:, :1] > 0).float() * 2 - 1)"
    assert observed(train(body)).run.facts["losses"][0]["signed"] == {"min": -1.0, "max": 1.0}


def test_a_product_of_two_results_is_no_layer():
    first, second = torch.randn(4, 6, requires_grad=True), torch.randn(6, 5, requires_grad=True)
    hidden = torch.randn(16, 4) @ first @ second
    assert graph_of(hidden.sum())["linear_chain"] == 2
    assert graph_of((hidden.T @ hidden).sum())["linear_chain"] == 2
    assert graph_of((hidden.T @ hidden @ torch.randn(5, 5, requires_grad=True)).sum())["linear_chain"] == 2


def test_batch_norm_does_not_part_two_linear_maps(observed):
    setup = "model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))"
    assert observed(train("loss = F.mse_loss(model(x), y)", setup)).run.facts["graph"]["linear_chain"] == 2


def test_whether_poisson_takes_logarithms(observed):
    body = "loss = F.poisson_nll_loss(F.softplus(model(x)), y.abs().round(){more})"
    for more, logarithms in (("", True), (", log_input=False", False)):
        losses = observed(train(body.format(more=more))).run.facts["losses"]
        assert losses[0]["log_input"] is logarithms
