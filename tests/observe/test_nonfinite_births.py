"""Where the first number that is not finite came from."""

from __future__ import annotations

import pytest
from small_loops import told, train

LOGGED = """
class Logged(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        h = self.inner(x)
        return torch.log(1 - self.off + 0 * h)
model = Logged(model)
"""
BIRTHS = {
    "log of zero in the model": (
        "model.off = 0.0 if step < 6 else 1.0\nloss = model(x).mean()",
        LOGGED,
        {"where": "forward", "op": "log"},
        "torch.log(1 - self.off + 0 * h)",
    ),
    "division by zero in the loss": (
        "loss = ((model(x) - y) ** 2).mean() / torch.tensor(1.0 if step < 6 else 0.0)",
        "",
        {"where": "loss", "op": "div"},
        "/ torch.tensor(",
    ),
    "NaN in the data": (
        "if step == 6: x[3, 1] = float('nan')\nloss = F.mse_loss(model(x), y)",
        "",
        {"where": "input"},
        None,
    ),
    "NaN in the targets of a loss written by hand": (
        "if step == 6: y = y / 0 * 0\ne = (model(x) - y).abs()\nloss = e.clamp(max=1.5).pow(2).mean()",
        "",
        {"where": "target"},
        None,
    ),
    "NaN in what one of two models is given first": (
        "if step == 6: x[3, 1] = float('nan')\nloss = F.mse_loss(model(x), y) + model(torch.ones(16, 4)).mean() ** 2",
        "",
        {"where": "input"},
        None,
    ),
    "NaN in the targets": (
        "if step == 6: y = y / 0 * 0\nloss = F.mse_loss(model(x), y)",
        "",
        {"where": "target"},
        None,
    ),
    "gradient of a root at zero, at a step that is not looked at": (
        "loss = ((model(x) * (1.0 if step < 305 else 0.0)) ** 2).sum() ** 0.5",
        "",
        {"where": "backward", "op": "pow"},
        ".sum() ** 0.5",
    ),
    "gradient of a logarithm of zero that the loss masks": (
        "p = (model(x) * 0 + (1.0 if step < 6 else 0.0))\n"
        "loss = torch.where(p > 0, p * torch.log(p), torch.zeros_like(p)).sum()",
        "",
        {"where": "backward", "op": "log"},
        "torch.log(p)",
    ),
    "gradient of sqrt at zero": (
        "d = (model(x) * (1.0 if step < 6 else 0.0)) ** 2\nloss = torch.sqrt(d.sum())",
        "",
        {"where": "backward", "op": "sqrt"},
        "torch.sqrt(d.sum())",
    ),
}


@pytest.mark.parametrize("name", BIRTHS)
def test_origin_of_the_first_non_finite_number(observed, name):
    body, setup, expected, line = BIRTHS[name]
    late = "305" in body
    outcome = observed(train(body, setup, steps=320 if late else 12))
    born = 305 if late else 6
    run = outcome.run
    assert outcome.code == 0, outcome.err
    assert "observers_off" not in run.facts
    kind = "nonfinite-gradient" if expected["where"] == "backward" else "nonfinite-loss"
    assert [event.step for event in run.events_of(kind)][:1] == [born]
    origin = run.events_of("nonfinite-origin")[0]
    assert origin.step == born
    assert {key: origin.data.get(key) for key in expected} == expected, origin.data
    if line is not None:
        assert line in origin.data["site"]["text"]


def test_exploding_weights_are_told_from_bad_data(observed):
    source = train(
        "loss = F.mse_loss(model(x), y)", "optimizer = torch.optim.SGD(model.parameters(), lr=1e4)", steps=40
    )
    run = observed(source).run
    assert run.events_of("nonfinite-loss")[0].data["inputs_finite"]
    assert run.events_of("nonfinite-origin")[0].data["where"] in ("forward", "weights", "loss")


def test_loss_on_an_accelerator_is_noticed_at_the_flush(observed):
    """There the loss cannot be read at once; here that is brought about by hand."""
    source = train("loss = F.mse_loss(model(x), y) / (0.0 if step == 6 else 1.0)")
    unread = "import traindx.observe.watchers.losses as w\nw.cpu_value = lambda tensor: None"
    outcome = observed(source, prepare=unread)
    assert [event.step for event in outcome.run.events_of("nonfinite-loss")] == [6]
    assert len(outcome.run.series("loss/train")) == 12


def test_a_loss_function_that_refuses_what_is_not_finite(observed):
    source = train("loss = F.binary_cross_entropy(torch.sigmoid(model(x * 1e30) * 1e30 * 0), (y > 0).float())")
    outcome = observed(source)
    assert outcome.code == 1 and "between 0 and 1" in outcome.err
    assert [event.step for event in outcome.run.events_of("nonfinite-loss")] == [0]
    assert "never trained" not in outcome.err


def test_the_batch_at_which_the_loss_jumps_is_measured(observed):
    body = "if step == 250: x = x * 1000\nloss = F.mse_loss(model(x), y)"
    run = observed(train(body, steps=300), "--budget", "0.1").run
    jump = next(event for event in run.events_of("loss-jump") if event.step == 250)
    assert jump.data["input_max"] > 500 and 0 < jump.data["target_max"] < 10


def test_a_second_input_of_another_scale_is_no_outlier(observed):
    """The looks measure the first tensor of a call, as for a graph's adjacency before its features."""
    body = (
        "if step == 250: y = y + 50\n"
        "class Scaled(nn.Module):\n"
        "    def forward(self, weights, x): return model(weights * x)\n"
        "scaled = Scaled(); scaled.model = model\n"
        "loss = F.mse_loss(scaled(torch.full_like(x, 0.1), 10 * x), y)"
    )
    run = observed(train(body, steps=300), "--budget", "0.1").run
    jump = next(event for event in run.events_of("loss-jump") if event.step == 250)
    assert jump.data["input_max"] == pytest.approx(0.1)


def test_nothing_that_a_model_was_given_outlives_the_step(observed):
    source = train(
        "loss = F.mse_loss(model(x), y)\nkept = globals().setdefault('kept', [])\nkept.append(weakref.ref(x))"
    )
    source = "import weakref\n" + source.replace("print(json", "del x, y\nprint(json")
    source += "\nprint(json.dumps([ref() is not None for ref in kept]))"
    assert told(observed(source)) == [False] * 12


CRITERION = """
class Criterion(nn.Module):
    def forward(self, predicted, wanted):
        return ((predicted - wanted).abs().clamp(max=1.5) ** 2).mean()
criterion = Criterion()
"""


@pytest.mark.parametrize(("planted", "where"), [("y = y / 0 * 0", "target"), ("x[3, 1] = float('nan')", "input")])
def test_a_loss_module_hides_nothing_in_steps_that_are_not_looked_at(observed, planted, where):
    body = f"if step == 250: {planted}\nloss = criterion(model(x.clone()), y)"
    run = observed(train(body, CRITERION, steps=260), "--budget", "0.1").run
    assert [(event.step, event.data["where"]) for event in run.events_of("nonfinite-origin")] == [(250, where)]
