"""Interventions on data, losses and modes really act, and the record shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from acting import Trial, recorded
from sick_loops import STEPS, classify, data, mlp, regress
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from traindx.signs import measure_all
from traindx.treatments import Refusal, all_interventions
from traindx.treatments.drivers.data import LoadersSet
from traindx.treatments.drivers.losses import Fitted, PaddingIgnored

torch.set_num_threads(1)
Try = Callable[..., Trial]


@pytest.fixture
def trial(tmp_path: Path) -> Try:
    return lambda *words, **options: Trial(tmp_path, *words, **options)


def test_inputs_are_standardised_by_feature(trial: Try) -> None:
    sizes = torch.tensor([1000.0, 1, 1, 1, 1, 1, 1, 0.01])
    made = trial(classify(change=lambda x: x * sizes + 50), "standardise-inputs", "unscaled-inputs")
    assert made.driver.acted == STEPS
    seen = made.treated.fact("data/train")
    assert seen["feature_mean"] == pytest.approx([0.0] * 8, abs=0.2)
    assert seen["feature_std"] == pytest.approx([1.0] * 8, rel=0.2)
    assert made.level("input-scale-spread") == (1.0, 0.0)


def test_images_are_standardised_as_a_whole(trial: Try) -> None:
    def images(x: torch.Tensor) -> torch.Tensor:
        return (x.repeat(1, 18).reshape(-1, 1, 12, 12) * 40 + 128).clamp(0, 255)

    def cnn() -> nn.Module:
        return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(400, 3))

    made = trial(classify(cnn, change=images, steps=20), "standardise-inputs", "unscaled-inputs")
    seen = made.treated.fact("data/train")
    assert (seen["mean"], seen["std"]) == (pytest.approx(0.0, abs=0.1), pytest.approx(1.0, rel=0.1))


def test_inputs_and_targets_are_scaled_together_where_each_alone_is_out_of_reach(trial: Try) -> None:
    steep = regress(change=lambda x: 1000 * x + 5000, targets=lambda y: 500 * y + 2000, lr=0.05)
    alone, both = (trial(steep, "standardise-inputs", "unscaled-inputs", dose=number) for number in (0, 1))
    assert both.dose.driver == "data:BothScaled" and both.driver.acted == STEPS
    assert both.losses[1] < 0.1 * 1100**2  # of the targets' variance
    assert not alone.losses[1] < 10 * both.losses[1]


def test_targets_are_standardised_by_letting_the_model_answer_in_standard_units(trial: Try) -> None:
    steep = regress(targets=lambda y: 500 * y + 2000, lr=0.05)
    made = trial(steep, "standardise-targets", "unscaled-targets")
    assert made.driver.acted == STEPS
    assert made.losses[1] < 0.1 * 1100**2  # of the targets' variance, in the script's own units
    assert not made.losses[0] < made.losses[1]
    # It is the training on standardised targets, step by step.
    mean, std = made.dose.options["mean"], made.dose.options["std"]
    reference = recorded(made.folder, regress(targets=lambda y: (500 * y + 2000 - mean) / std, lr=0.05))
    expected = reference.series("loss/train").values * std**2
    assert made.treated.series("loss/train").values == pytest.approx(expected, rel=1e-2)


def by_hand(output: Any, target: Any) -> Any:
    return ((output - target) ** 2).mean()


class Squashed(nn.Module):
    """The last activation as a function, in front of a change of shape or not."""

    def __init__(self, activation: Callable[[Any], Any] = lambda x: torch.tanh(x)) -> None:
        super().__init__()
        self.body = mlp(out=1)
        self.activation = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.activation(self.body(x))


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Sequential(mlp(out=1), nn.Sigmoid()),
        Squashed,
        lambda: Squashed(lambda x: torch.relu(x - 6)),
        lambda: Squashed(lambda x: torch.sigmoid(x).view(-1, 1)),
    ],
    ids=["module", "function", "relu", "view"],
)
def test_the_last_activation_is_taken_away(make: Any, trial: Try) -> None:
    loop = regress(make, targets=lambda y: 3 * y + 5, lr=0.01, loss=by_hand)
    made = trial(loop, "free-output", "output-range-mismatch")
    assert made.driver.acted == STEPS
    assert made.losses[1] < made.losses[0] / 2


def test_an_activation_between_model_and_loss_is_taken_away(trial: Try) -> None:
    loop = regress(targets=lambda y: 3 * y + 5, lr=0.01, loss=lambda o, y: F.mse_loss(torch.sigmoid(o), y))
    made = trial(loop, "free-output", "output-range-mismatch")
    assert made.driver.acted == STEPS
    assert made.losses[1] < made.losses[0] / 2


def test_a_bounded_output_is_stretched_over_the_targets(trial: Try) -> None:
    loop = regress(lambda: nn.Sequential(mlp(out=1), nn.Sigmoid()), targets=lambda y: 3 * y + 5, lr=3.0)
    made = trial(loop, "standardise-targets", "output-range-mismatch")
    given, target = made.treated.training_losses[0].input, made.treated.training_losses[0].target
    assert target.min is not None and target.max is not None and given.min is not None and given.max is not None
    assert target.min <= given.min < given.max <= target.max
    assert made.losses[1] < made.losses[0] / 2


def test_an_output_that_broadcasts_in_a_loss_by_hand_is_reshaped(trial: Try) -> None:
    made = trial(regress(targets=lambda y: y.squeeze(1), loss=by_hand), "reshape-target", "broadcast-loss")
    with torch.no_grad():
        assert made.driver.forward_output(mlp(out=1), torch.zeros(4, 1)).shape == (4, 1)  # an evaluation
    assert made.dose.driver == "losses:OutputReshaped"
    assert made.driver.acted == STEPS
    assert made.losses[1] < made.losses[0] / 10


def test_a_target_that_would_broadcast_gets_the_output_s_shape(trial: Try) -> None:
    with pytest.warns(UserWarning, match="target size"):
        made = trial(regress(targets=lambda y: y.squeeze(1)), "reshape-target", "broadcast-loss")
    assert made.driver.acted == STEPS
    assert made.level("loss-broadcasts") == (1.0, 0.0)
    assert made.losses[1] < made.losses[0] / 10


def test_nll_gets_log_probabilities(trial: Try) -> None:
    made = trial(classify(loss=lambda o, y: F.nll_loss(o, y)), "fit-loss", "wrong-loss")
    assert made.driver.acted == STEPS
    assert made.level("loss-inputs-not-log-probabilities") == (1.0, 0.0)
    right = recorded_loss(classify(loss=lambda o, y: F.cross_entropy(o, y)), made)
    assert made.treated.series("loss/train").values == pytest.approx(right, rel=1e-4)


def recorded_loss(loop: Any, made: Trial) -> Any:
    return recorded(Path(made.control.source).parent, loop).series("loss/train").values


@pytest.mark.parametrize(
    ("kind", "name", "given", "target", "expected"),
    [
        ("one-hot", "mse_loss", torch.zeros(2, 3), torch.tensor([2.0, 0.0]), [[0, 0, 1], [1, 0, 0]]),
        ("signed", "soft_margin_loss", torch.zeros(2), torch.tensor([0.0, 1.0]), [-1, 1]),
    ],
)
def test_labels_take_the_form_that_the_loss_expects(
    kind: str, name: str, given: Any, target: Any, expected: Any
) -> None:
    driver: Any = Fitted(kind)
    (_, changed), _ = driver.loss_inputs(name, (given, target), {})
    assert changed.tolist() == expected
    assert driver.acted == 1
    assert driver.loss_inputs("kl_div", (given, target), {})[0][1] is target
    assert driver.acted == 1


def test_rare_classes_weigh_more(trial: Try) -> None:
    rare = classify(labels=lambda y: (torch.arange(len(y)) % 20 == 0).long(), make=lambda: mlp(out=2))
    made = trial(rare, "reweigh-classes", "class-imbalance")
    assert made.driver.acted == STEPS
    weights = made.dose.options["weights"]
    assert weights["1"] / weights["0"] == pytest.approx(19, rel=0.2)
    assert made.treated.entries("losses")[0]["class_weights"] is True


def test_batches_that_are_not_finite_are_skipped(trial: Try) -> None:
    def spoilt(x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[100, 3] = float("nan")
        return x

    for loader in (None, {}):  # cut by hand, and from a loader
        made = trial(classify(change=spoilt, loader=loader), "skip-bad-batches", "nonfinite-data")
        assert made.driver.acted == 6  # one batch in each of six epochs
        assert made.level("loss-not-finite") == (1.0, 0.0)


def test_data_of_which_no_batch_is_finite_are_filled_with_zeros(trial: Try) -> None:
    def loop() -> None:
        torch.manual_seed(0)
        x, y = data()
        x[:, 2] = float("nan")
        model = mlp()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for rows in [torch.arange(start, start + 24) for start in range(0, 240, 24)]:
            optimizer.zero_grad()
            F.cross_entropy(model(x[rows]), y[rows]).backward()
            optimizer.step()

    skipped = trial(loop, "skip-bad-batches", "nonfinite-data")
    assert skipped.driver.acted == 0, "there is no finite batch to put in their place"
    filled = trial(loop, "skip-bad-batches", "nonfinite-data", dose=1)
    assert filled.driver.acted == 10
    before, after = (run.series("loss/train").values for run in (filled.control, filled.treated))
    assert not np.isfinite(before).any() and np.isfinite(after).all()


def test_outliers_are_skipped(trial: Try) -> None:
    def spoilt(x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        x[100] *= 1e4
        return x

    made = trial(classify(change=spoilt, loader={}), "skip-bad-batches", "bad-batch")
    assert made.driver.acted == 6
    assert made.control.series("input_max").values.max() > 1e4 > 10 > made.treated.series("input_max").values.max()


def test_a_loader_shuffles(trial: Try) -> None:
    made = trial(classify(loader={}), "shuffle", "unshuffled-data")
    assert made.driver.acted == 1
    assert (made.control.loaders[0].shuffled, made.treated.loaders[0].shuffled) == (False, True)


def test_a_loader_with_its_own_order_is_left_alone(tmp_path: Path) -> None:
    run = recorded(tmp_path, classify())
    refused = all_interventions()["shuffle"].doses(run, measure_all(run), "unshuffled-data")
    assert isinstance(refused, Refusal) and "fixed order" in refused.reason


def test_batches_are_resized(trial: Try) -> None:
    made = trial(classify(loader={"batch_size": 1}), "resize-batches", "batch-too-small")
    wanted = made.dose.options["batch_size"]
    assert made.driver.acted == 1 and wanted >= 16
    assert made.treated.series("batch_size").values[0] == wanted


def test_workers_are_added_to_the_training_loader_only(tmp_path: Path) -> None:
    run = recorded(tmp_path, classify(loader={}))
    (dose,) = all_interventions()["add-workers"].doses(run, measure_all(run), "slow-data-loading")  # type: ignore[misc]
    driver = LoadersSet(**dose.options)
    assert driver.loader_settings(0, {"num_workers": 0})["num_workers"] == dose.options["num_workers"] >= 2
    assert driver.loader_settings(1, {"num_workers": 0}) == {"num_workers": 0}


def with_validation(*, train: bool, evaluate: bool) -> Any:
    """A loop that never switches modes, or only in one place."""

    def run() -> None:
        x, y = data()
        model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        training = DataLoader(TensorDataset(x[:192], y[:192]), 24)
        held_out = DataLoader(TensorDataset(x[192:], y[192:]), 24)
        for _ in range(4):
            if train:
                model.train()
            for inputs, targets in training:
                optimizer.zero_grad()
                F.cross_entropy(model(inputs), targets).backward()
                optimizer.step()
            if evaluate:
                model.eval()
            with torch.no_grad():
                for inputs, targets in held_out:
                    F.cross_entropy(model(inputs), targets)

    return run


def test_evaluation_runs_in_eval_mode(trial: Try) -> None:
    made = trial(with_validation(train=True, evaluate=False), "set-modes", "eval-mode-missing")
    assert made.driver.acted == 8  # two batches in each of four evaluations
    assert made.control.fact("modes")["eval_forwards_in_train_mode"] == 8
    assert made.treated.fact("modes")["eval_forwards_in_train_mode"] == 0


def test_training_runs_in_train_mode(trial: Try) -> None:
    made = trial(with_validation(train=False, evaluate=True), "set-modes", "train-mode-missing")
    assert made.driver.acted == 24  # all epochs but the first
    assert made.control.fact("modes")["train_forwards_in_eval_mode"] == 24
    assert made.treated.fact("modes")["train_forwards_in_eval_mode"] == 0


def test_padding_is_left_out() -> None:
    driver = PaddingIgnored(0)
    scores, labels = torch.randn(6, 4), torch.tensor([1, 2, 0, 0, 3, 0])
    args, kwargs = driver.loss_inputs("cross_entropy", (scores, labels), {"ignore_index": -100, "reduction": "mean"})
    expected = F.cross_entropy(scores[labels != 0], labels[labels != 0])
    torch.testing.assert_close(F.cross_entropy(*args, **kwargs), expected)
    assert driver.loss_inputs("mse_loss", args, {}) == (args, {})


def test_an_iterable_data_set_is_not_delivered_several_times() -> None:
    class Stream(torch.utils.data.IterableDataset):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[int]:
            return iter(range(8))

    driver: Any = LoadersSet([0], num_workers=2)
    settings = {"dataset": Stream(), "num_workers": 0}
    assert driver.loader_settings(0, settings) == settings
    assert not driver.acted and driver.note
