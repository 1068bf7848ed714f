"""Interventions on learning rates, optimizers and gradients really act, and the record shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from acting import Trial, recorded
from sick_loops import STEPS, classify, mlp
from torch import nn
from torch.nn import functional as F

from traindx.signs import measure_all
from traindx.treatments import Refusal, all_interventions

torch.set_num_threads(1)
Try = Callable[..., Trial]


@pytest.fixture
def trial(tmp_path: Path) -> Try:
    return lambda *words, **options: Trial(tmp_path, *words, **options)


def sgd(**settings: Any) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.SGD(parameters, **{"lr": 0.1, **settings})


def adam(**settings: Any) -> Callable[[Any], torch.optim.Optimizer]:
    return lambda parameters: torch.optim.Adam(parameters, **{"lr": 0.01, **settings})


def clipped(limit: float) -> Callable[[Any], Any]:
    return lambda model: nn.utils.clip_grad_norm_(model.parameters(), limit)


def test_warm_up_ramps_to_the_script_s_own_rate(trial: Try) -> None:
    made = trial(classify(optimizer=adam()), "warm-up-lr", "no-warmup")
    rates = made.treated.series("lr").values
    length = made.dose.options["steps"]
    assert made.driver.acted == length
    assert rates[0] == pytest.approx(0.0001)
    assert (np.diff(rates[: length + 1]) > 0).all()
    assert (rates[length:] == 0.01).all()


def test_decay_ends_at_zero(trial: Try) -> None:
    made = trial(classify(), "decay-lr", "lr-never-decays")
    rates = made.treated.series("lr").values
    assert (np.diff(rates) < 0).all()
    assert rates[0] == 0.1 and rates[-1] < 0.001
    assert (made.control.series("lr").values == 0.1).all()


def test_a_scheduler_is_stepped_once_an_epoch_or_not_at_all(trial: Try) -> None:
    def decaying(optimizer: Any) -> Any:
        return torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)

    loop = classify(loader={}, scheduler=decaying)
    made = trial(loop, "slow-scheduler", "lr-decays-too-soon")
    assert made.dose.options == {"every": 10}
    # Six epochs of ten steps: the rate falls at the border of each.
    rates = made.treated.series("lr")
    assert rates.values == pytest.approx(0.1 * 0.8 ** (rates.steps // 10))
    held = trial(loop, "slow-scheduler", "lr-decays-too-soon", dose=1)
    assert (held.treated.series("lr").values == 0.1).all()
    assert held.losses[1] < held.losses[0]


def test_gradients_are_clipped_at_the_run_s_own_norm(trial: Try) -> None:
    made = trial(classify(change=lambda x: 20 * x), "clip-gradients", "exploding-gradients")
    limit = made.dose.options["max_norm"]
    assert 0 < made.driver.acted < STEPS  # ordinary steps are left alone
    assert made.control.series("grad_norm").values.max() > limit
    update = made.treated.layers("update_norm")
    assert np.nanmax(np.sqrt((update.values**2).sum(1))) <= 0.1 * limit * 1.01


def test_a_tight_clip_is_raised(trial: Try) -> None:
    made = trial(classify(after_backward=clipped(1e-3)), "lift-clip", "clip-too-tight")
    assert made.driver.acted == STEPS
    assert (made.treated.series("clip/threshold").values == made.dose.options["max_norm"]).all()
    assert made.losses[1] < made.losses[0]
    assert made.level("clip-share") == (1.0, 0.0)
    lifted = trial(classify(after_backward=clipped(1e-3)), "lift-clip", "clip-too-tight", dose=1)
    assert lifted.level("clip-share")[1] in (0.0, None)


def test_a_clip_comes_behind_the_scaler(trial: Try) -> None:
    # Without an accelerator the scaler is off: what shows is that the same limit holds at the step.
    made = trial(classify(after_backward=clipped(0.05)), "clip-unscaled", "clip-before-unscale")
    assert made.driver.acted == STEPS
    update = made.treated.layers("update_norm")
    assert np.nanmax(np.sqrt((update.values**2).sum(1))) <= 0.1 * 0.05 * 1.01
    assert made.losses[1] == pytest.approx(made.losses[0], rel=1e-4)


@pytest.mark.parametrize(
    ("intervention", "cause", "optimizer", "name", "old", "new"),
    [
        ("weaken-weight-decay", "weight-decay-too-strong", sgd(weight_decay=1.0), "weight_decay", 1.0, 1e-4),
        ("usual-optimizer-settings", "optimizer-misconfigured", sgd(momentum=0.995), "momentum", 0.995, 0.9),
        (
            "usual-optimizer-settings",
            "optimizer-misconfigured",
            adam(betas=(0.995, 0.999)),
            "betas",
            None,
            [0.9, 0.999],
        ),
        ("usual-optimizer-settings", "optimizer-misconfigured", adam(eps=1.0), "eps", 1.0, 1e-8),
        ("usual-optimizer-settings", "loss-sign-flipped", sgd(maximize=True), "maximize", True, False),
        ("add-momentum", "no-momentum", sgd(), "momentum", 0.0, 0.9),
    ],
)
def test_settings_of_groups(
    intervention: str, cause: str, optimizer: Any, name: str, old: Any, new: Any, trial: Try
) -> None:
    made = trial(classify(optimizer=optimizer), intervention, cause)
    assert made.driver.acted == 1
    assert old is None or made.control.groups[0].settings[name] == old
    assert made.treated.groups[0].settings[name] == new
    assert made.losses[1] < made.losses[0]


def test_adam_s_decay_is_decoupled(trial: Try) -> None:
    made = trial(classify(optimizer=adam(weight_decay=0.5)), "decouple-weight-decay", "adam-coupled-decay")
    assert made.driver.acted == STEPS
    assert made.level("adam-with-decay") == (1.0, 0.0)

    expected = mlp()  # the same steps by torch's own AdamW
    x, y = torch.randn(24, 8), torch.randint(3, (24,))
    ours = mlp()
    ours.load_state_dict(expected.state_dict())
    reference = torch.optim.AdamW(expected.parameters(), lr=0.01, weight_decay=0.01)
    plain = torch.optim.Adam(ours.parameters(), lr=0.01, weight_decay=0.5)
    made.driver.optimizer_made(plain)
    for _ in range(5):
        for model, optimizer in ((expected, reference), (ours, plain)):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            if optimizer is plain:
                made.driver.before_step(plain)
            optimizer.step()
    for one, other in zip(expected.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_accumulated_losses_are_divided(trial: Try) -> None:
    made = trial(classify(micro=5, steps=20), "divide-accumulated-loss", "unscaled-accumulation")
    assert made.dose.options == {"factor": 1 / 5}
    first = [run.series("grad_norm").values[0] for run in (made.control, made.treated)]
    assert first[1] == pytest.approx(first[0] / 5, rel=1e-4)
    # The record keeps the script's own loss: the two arms can be compared.
    assert made.treated.series("loss/train").values[0] == made.control.series("loss/train").values[0]


def test_a_flipped_loss_is_minimised(trial: Try) -> None:
    made = trial(classify(loss=lambda o, y: -F.cross_entropy(o, y)), "negate-loss", "loss-sign-flipped")
    assert made.driver.acted == STEPS
    assert made.losses[0] < -10 and -1.2 < made.losses[1] < 0


def test_missing_parameters_join_the_optimizer(trial: Try) -> None:
    made = trial(classify(trained=lambda model: model[2].parameters()), "add-parameters", "params-not-in-optimizer")
    assert made.driver.acted == 2
    assert made.level("params-never-move") == (1.0, 0.0)
    assert all(param["moved"] for param in made.treated.entries("params"))


def test_a_forgotten_step_is_taken(tmp_path: Path) -> None:
    def loop() -> None:
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, y = torch.randn(24, 8), torch.randint(3, (24,))
        for _ in range(30):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()

    made = Trial(tmp_path, loop, "step-optimizer", "params-not-in-optimizer")
    assert made.driver.acted == 29  # the last backward has no successor
    losses = made.treated.series("loss/train").values
    assert losses[-1] < losses[0] * 0.9
    assert (made.control.series("loss/train").values == losses[0]).all()


def test_frozen_layers_are_trained_unless_they_were_loaded(trial: Try, tmp_path: Path) -> None:
    def frozen() -> nn.Module:
        model = mlp()
        model[0].requires_grad_(False)
        return model

    made = trial(classify(frozen), "unfreeze", "frozen-layers")
    assert made.driver.acted == 2
    assert all(param["moved"] for param in made.treated.entries("params"))
    kept = trial(classify(frozen, trained=lambda m: [p for p in m.parameters() if p.requires_grad]),
                 "unfreeze", "frozen-layers")  # fmt: skip
    assert all(param["moved"] for param in kept.treated.entries("params"))

    def pretrained() -> nn.Module:
        model = frozen()
        model.load_state_dict(mlp().state_dict())
        return model

    run = recorded(tmp_path, classify(pretrained))
    refused = all_interventions()["unfreeze"].doses(run, measure_all(run), "frozen-layers")
    assert isinstance(refused, Refusal)
