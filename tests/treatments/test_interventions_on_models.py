"""Interventions on layers, weights, precision and graphs really act, and the record shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from acting import Trial, recorded
from sick_loops import STEPS, classify, data, mlp
from torch import nn
from torch.nn import functional as F

from traindx.signs import measure_all
from traindx.treatments import Refusal, all_interventions
from traindx.treatments.drivers.functions import GraphsReleased, Guarded
from traindx.treatments.drivers.models import Float32, GroupNorms

torch.set_num_threads(1)
Try = Callable[..., Trial]
DEEP = [16] * 8


@pytest.fixture
def trial(tmp_path: Path) -> Try:
    return lambda *words, **options: Trial(tmp_path, *words, **options)


def scaled(factor: float) -> Callable[[], nn.Module]:
    def make() -> nn.Module:
        model = mlp(16, 16)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(factor)
        return model

    return make


def constant() -> nn.Module:
    model = mlp(16, 16)
    for parameter in model.parameters():
        nn.init.constant_(parameter, 0.05)
    return model


class Functional(nn.Module):
    """Activations as functions, and a place to cut the graph."""

    def __init__(self, between: Callable[[Any], Any] = lambda hidden: torch.relu(hidden)) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 3)
        self.between = between

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.between(self.first(x)))


def silenced(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    """Half of the units start far below zero."""

    def made() -> nn.Module:
        model = make()
        layer = model.first if isinstance(model, Functional) else model[0]
        with torch.no_grad():
            layer.bias[:8] = -0.45
            layer.bias[:8] -= 9.0
        return model

    return made


@pytest.mark.parametrize("make", [lambda: mlp(16), Functional], ids=["module", "function"])
def test_leaky_units_cannot_die(make: Callable[[], nn.Module], trial: Try) -> None:
    made = trial(classify(silenced(make)), "leaky-relus", "dead-relus")
    assert made.driver.acted == STEPS
    before, after = (run.layers("grad_zero") for run in (made.control, made.treated))
    weight = before.layers[0]
    assert before.column(weight)[-1] >= 0.5 > after.column(weight)[-1]


def test_biases_start_at_zero(trial: Try) -> None:
    def biased() -> nn.Module:
        model = mlp(32)
        nn.init.constant_(model[0].bias, -6.0)
        return model

    made = trial(classify(biased), "zero-biases", "dead-relus")
    assert made.driver.acted == 1
    assert made.level("dead-units") == (1.0, 0.0)
    assert made.losses[1] < made.losses[0]


@pytest.mark.parametrize("dose", [0, 1])
def test_squashing_layers_become_rectifiers(dose: int, trial: Try) -> None:
    loop = classify(lambda: nn.Sequential(*mlp(*DEEP, act=nn.Sigmoid), nn.Sigmoid()))
    made = trial(loop, "rectify", "vanishing-gradients", dose=dose)
    assert made.driver.acted == 8  # not the one at the output
    types = [module.type for module in made.treated.models[0].modules]
    assert (types.count("ReLU"), types.count("Sigmoid")) == (8, 1)
    assert made.level("gradients-vanish-with-depth") == (1.0, pytest.approx(0.0, abs=0.4))


def test_hidden_layers_are_normalised(trial: Try) -> None:
    made = trial(classify(scaled(0.05), steps=20), "normalise-layers", "vanishing-gradients")
    assert made.driver.acted == 2  # not the output layer
    assert made.treated.layers("act_std").column("2")[0] == pytest.approx(1.0, rel=0.05)
    assert made.control.layers("act_std").column("2")[0] < 0.1


def test_skips_lead_around_layers_of_equal_width(trial: Try) -> None:
    made = trial(classify(lambda: mlp(*DEEP, act=nn.Tanh)), "add-skips", "vanishing-gradients")
    assert made.driver.acted == 7 * STEPS  # the first hidden layer changes the width
    assert made.losses[1] < made.losses[0]


def test_linear_layers_get_activations_between_them(trial: Try) -> None:
    made = trial(classify(lambda: Functional(nn.Identity())), "add-activations", "no-nonlinearity")
    assert made.driver.acted == 1
    before, after = made.level("linear-chain")
    assert before is not None and before >= 0.5 and after == 0.0


@pytest.mark.parametrize(
    ("make", "cause", "sign"),
    [
        (scaled(1e-3), "init-too-small", "init-scale-small"),
        (scaled(30.0), "init-too-large", "init-scale-large"),
        (constant, "symmetric-init", "rows-identical"),
    ],
)
@pytest.mark.parametrize("dose", [0, 1])
def test_weights_are_drawn_anew(make: Any, cause: str, sign: str, dose: int, trial: Try) -> None:
    made = trial(classify(make), "reinitialise", cause, dose=dose)
    assert made.driver.acted == 3
    before, after = made.level(sign)
    assert before is not None and before >= 0.5 and after == 0.0


def test_drawing_weights_anew_leaves_the_random_stream_alone(tmp_path: Path) -> None:
    after: list[torch.Tensor] = []

    def loop() -> None:
        classify(scaled(1e-3), steps=3)()
        after.append(torch.rand(4))

    Trial(tmp_path, loop, "reinitialise", "init-too-small")
    assert torch.equal(after[0], after[1])


def test_batch_norm_becomes_group_norm_with_the_same_parameters() -> None:
    model = nn.Sequential(nn.Linear(8, 12), nn.BatchNorm1d(12), nn.ReLU())
    held = list(model.parameters())
    driver: Any = GroupNorms()
    driver.model_ready(model)
    assert driver.acted == 1 and isinstance(model[1], nn.GroupNorm) and model[1].num_groups == 6
    assert all(one is other for one, other in zip(held, model.parameters(), strict=True))
    one = torch.randn(1, 8)
    assert torch.equal(model(one), model.eval()(one))


def test_dropout_is_weakened(trial: Try) -> None:
    def dropping() -> nn.Module:
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.9), nn.Linear(16, 3))

    made = trial(classify(dropping), "change-dropout", "over-regularized")
    assert made.driver.acted == 1
    assert made.treated.facts["dropout"] == [0.2]
    assert made.level("strong-dropout") == (1.0, 0.0)
    calls = trial(classify(lambda: Functional(lambda h: F.dropout(h, 0.9))), "change-dropout", "over-regularized")
    assert calls.driver.acted == STEPS


def test_weights_shrink_under_added_decay(trial: Try) -> None:
    made = trial(classify(), "add-weight-decay", "overfitting")
    assert made.driver.acted == 2 * STEPS  # two matrices; biases are left alone
    assert made.treated.series("weight_norm").values[-1] < made.control.series("weight_norm").values[-1]


def test_half_precision_becomes_float32() -> None:
    """The driver alone: half-precision arithmetic is not to be relied on everywhere."""
    driver: Any = Float32()
    model = mlp().half()
    held = list(model.parameters())
    driver.model_ready(model)
    assert driver.acted == 1
    assert all(one is other for one, other in zip(held, model.parameters(), strict=True))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    (given,), _ = driver.forward_inputs(model, (torch.zeros(2, 8, dtype=torch.float16),), {})
    assert given.dtype == torch.float32
    assert driver.autocast({"device_type": "cpu"}) == {"device_type": "cpu", "enabled": False}
    assert driver.acted == 2


def cut_by_detach(hidden: torch.Tensor) -> torch.Tensor:
    return torch.relu(hidden).detach()


def cut_by_data(hidden: torch.Tensor) -> torch.Tensor:
    return torch.relu(hidden).data


class CutByNoGrad(Functional):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            hidden = torch.relu(self.first(x))
        return self.last(hidden)


@pytest.mark.parametrize(
    "make",
    [lambda: Functional(cut_by_detach), lambda: Functional(cut_by_data), CutByNoGrad],
    ids=["detach", "data", "no_grad"],
)
def test_a_cut_graph_is_kept_whole(make: Any, trial: Try) -> None:
    made = trial(classify(make), "keep-graph", "detached-graph")
    assert made.driver.acted >= STEPS
    assert made.level("params-without-gradient") == (1.0, 0.0)
    assert made.losses[1] < made.losses[0]


def test_kept_losses_let_go_of_their_graphs(trial: Try) -> None:
    def loop() -> None:
        x, y = data()
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        total: Any = 0.0
        for step in range(STEPS):
            loss = F.cross_entropy(model(x[step : step + 24]), y[step : step + 24])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total = total + loss
        kept.append(total.grad_fn is not None)

    kept: list[bool] = []
    made = trial(loop, "release-graphs", "graph-retained")
    assert made.driver.acted == STEPS
    assert kept == [True, False]


def test_state_carried_from_the_last_step_is_detached() -> None:
    driver: Any = GraphsReleased()
    weight = torch.ones(2, requires_grad=True)
    state, other = 2 * weight, 3 * weight
    driver.forward_output(None, state)
    assert driver.forward_inputs(None, (state,), {})[0][0] is state  # within a step the graph belongs to it
    driver.before_step(None)
    (given, kept), _ = driver.forward_inputs(None, (state, other), {})
    assert given.grad_fn is None and kept is other
    assert torch.equal(given, state)


@pytest.mark.parametrize(
    "loss",
    [
        lambda o, y: F.nll_loss(F.log_softmax(o, dim=0), y),
        lambda o, y: F.nll_loss(torch.log(o.softmax(0) + 1e-9), y),
        lambda o, y: F.nll_loss(nn.LogSoftmax(dim=0)(o), y),
    ],
    ids=["function", "method", "module"],
)
def test_softmax_runs_over_the_classes(loss: Any, trial: Try) -> None:
    made = trial(classify(loss=loss), "softmax-over-classes", "softmax-wrong-axis")
    assert made.driver.acted >= STEPS
    assert made.level("softmax-over-batch") == (1.0, 0.0)
    assert made.losses[1] == pytest.approx(made_right(made), rel=1e-3)


def made_right(made: Trial) -> float:
    right = recorded(Path(made.control.source).parent, classify()).series("loss/train").values
    return float(right[-6:].mean())


def test_arguments_of_unstable_operations_are_bounded(trial: Try) -> None:
    def loss(output: Any, labels: Any) -> Any:
        return -torch.log(torch.softmax(60 * output, 1)).gather(1, labels[:, None]).mean()

    made = trial(classify(loss=loss), "guard-math", "unstable-math")
    assert made.driver.acted > 0
    assert made.level("loss-not-finite") == (1.0, 0.0)


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: (x / x).sum(), lambda x: 1 / x.abs().max(), lambda x: x.norm(), lambda x: torch.sqrt(x).sum(),
        lambda x: x.log().sum(), lambda x: torch.exp(x + 1e5).sum(), lambda x: x.reciprocal().sum(),
    ],
)  # fmt: skip
def test_guarded_operations_and_their_derivatives_are_finite_at_zero(compute: Any, tmp_path: Path) -> None:
    from acting import functions_put_back

    with functions_put_back():
        driver: Any = Guarded()
        x = torch.zeros(3, requires_grad=True)
        value = compute(x)
        value.backward()
        assert driver.acted
    assert torch.isfinite(value) and x.grad is not None and torch.isfinite(x.grad).all()


def test_what_cannot_be_changed_is_refused_with_a_reason(tmp_path: Path) -> None:
    run = recorded(tmp_path, classify(steps=12))
    signs = measure_all(run)
    refusing = {
        "rectify": "vanishing-gradients", "zero-biases": "dead-relus", "group-norm": "batchnorm-tiny-batch",
        "change-dropout": "over-regularized", "run-in-float32": "low-precision", "lift-clip": "clip-too-tight",
        "weaken-weight-decay": "weight-decay-too-strong", "softmax-over-classes": "softmax-wrong-axis",
        "ignore-padding": "padding-in-loss", "divide-accumulated-loss": "unscaled-accumulation",
        "standardise-targets": "output-range-mismatch", "resize-batches": "batch-too-small",
    }  # fmt: skip
    for name, cause in refusing.items():
        found = all_interventions()[name].doses(run, signs, cause)
        assert isinstance(found, Refusal), name
        assert found.reason[0].islower() and not found.reason.endswith(".")


class Chain(nn.Module):
    """Sigmoids called as functions, in three spellings, and one that makes the output."""

    def __init__(self, bounded: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.last, self.bounded = nn.Linear(8, 3), bounded

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.sigmoid(self.layers[0](x))
        x = F.tanh(self.layers[1](x))
        x = self.layers[2](x).sigmoid()
        return torch.sigmoid(self.last(x)) if self.bounded else self.last(x)


@pytest.mark.parametrize("bounded", [False, True])
def test_squashing_functions_become_rectifiers_except_the_output_s(bounded: bool, trial: Try) -> None:
    found = trial(classify(lambda: Chain(bounded)), "rectify", "vanishing-gradients", dose=1)
    assert found.driver.acted == 3 * (STEPS - 1)  # the first forward shows which call makes the output
    outputs = found.treated.training_losses[0].input
    assert outputs.max is not None and outputs.min is not None
    assert (outputs.min >= 0 and outputs.max <= 1) is bounded


def test_a_clamp_at_zero_is_a_rectifier(trial: Try) -> None:
    for between in (lambda hidden: hidden.clamp(min=0), lambda hidden: torch.clamp(hidden, 0), F.relu):
        found = trial(classify(silenced(lambda cut=between: Functional(cut))), "leaky-relus", "dead-relus")
        assert found.driver.acted == STEPS
    bounded = trial(classify(lambda: Functional(lambda hidden: hidden.clamp(-1, 1))), "leaky-relus", "dead-relus")
    assert bounded.driver.acted == 0
