"""Experiments tell causes that no change cures, and every cause has a test or a reason why it has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from acting import told
from sick_loops import classify, data, mlp
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from traindx.causes import all_causes
from traindx.diagnosis import Hypothesis
from traindx.record import Run, RunBuilder
from traindx.treatments import Dose, all_experiments, all_interventions
from traindx.treatments._base import WHY_NOT
from traindx.treatments._candidates import Candidate, without_repeats

torch.set_num_threads(1)


def test_every_cause_has_a_test_or_a_reason() -> None:
    units = (*all_interventions().values(), *all_experiments().values())
    tested = {cause for unit in units for cause in unit.tests}
    assert tested | set(WHY_NOT) == set(all_causes())
    assert not tested & set(WHY_NOT)  # a reason that no longer holds
    assert all(text[0].islower() and not text.endswith(".") for text in WHY_NOT.values())


def of_length(steps: int, last: float) -> Run:
    """A run whose validation loss ends at this level."""
    builder = RunBuilder("train.py", "observed").fact("steps", steps)
    return builder.series("loss/validation", range(8), [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, last, last]).build()


@pytest.mark.parametrize(
    ("longer", "answer"),
    [(of_length(400, 0.7), "for"), (of_length(400, 1.49), "against"), (of_length(100, 0.7), "nothing")],
)
def test_a_longer_run_tells_one_that_was_too_short(longer: Run, answer: str) -> None:
    assert all_experiments()["train-longer"].tells(of_length(100, 1.5), [longer]).answer == answer


def test_a_longer_run_is_asked_only_when_nothing_else_is_left() -> None:
    longer, wider = (all_experiments()[name] for name in ("train-longer", "widen"))
    likely, unlikely = Hypothesis("undertrained", 0.9, "Undertrained"), Hypothesis("model-too-small", 0.1, "Too small")
    dose = (Dose({}, "a test"),)
    assert Candidate(likely, longer, dose).worth() < Candidate(unlikely, wider, dose).worth()


def test_a_driver_does_not_repeat_what_the_patch_has_shown() -> None:
    units = all_interventions()
    cause = Hypothesis("dead-relus", 0.5, "Dead ReLU units")
    one, two = (Dose({}, "one"),), (Dose({}, "one"), Dose({}, "two"))
    leaky, biases = Candidate(cause, units["leaky-relus"], one), Candidate(cause, units["zero-biases"], two)
    other = Candidate(Hypothesis("lr-too-high", 0.5, "Learning rate too high"), units["scale-lr"], one)
    assert without_repeats([leaky, other], cause) == [other]
    left = without_repeats([leaky, biases, other], cause)
    assert [(each.unit.id, len(each.untried)) for each in left] == [
        ("leaky-relus", 1),
        ("zero-biases", 1),
        ("scale-lr", 1),
    ]


def quick(parameters: Any) -> torch.optim.Optimizer:
    return torch.optim.Adam(parameters, lr=0.02)


def rings(width: int) -> Any:
    """A task that one hidden unit cannot do: inside or outside a circle."""

    def change(x: torch.Tensor) -> torch.Tensor:
        return x[:, :2]

    def labels(_: torch.Tensor) -> torch.Tensor:
        x, _y = data()
        return (x[:, :2].norm(dim=1) > 1.2).long()

    return classify(
        lambda: mlp(width, out=2, width=2, act=nn.Tanh), quick, change=change, labels=labels, loader={}, steps=150
    )


def test_a_wider_model_tells_one_that_is_too_small(tmp_path: Path) -> None:
    found = told(tmp_path, rings(1), "widen", "model-too-small")
    assert (found.answer, found.factor) == ("for", 10.0)
    (tmp_path / "large").mkdir()
    found = told(tmp_path / "large", classify(lambda: mlp(48), quick, steps=150), "widen", "model-too-small")
    assert found.answer == "against"  # although the wider one learns faster


def test_widening_keeps_the_optimizer_s_parameters() -> None:
    from traindx.treatments.drivers.models import Widened

    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))
    held = list(model.parameters())
    state = torch.get_rng_state()
    driver: Any = Widened(4)
    driver.model_ready(model)
    assert torch.equal(torch.get_rng_state(), state)
    assert driver.acted == 1  # the pair with a norm between is left alone
    assert all(one is other for one, other in zip(held, model.parameters(), strict=True))
    assert [model[i].weight.shape for i in (0, 2, 4)] == [(12, 4), (5, 12), (2, 5)]
    assert model(torch.randn(6, 4)).shape == (6, 2)


def test_one_batch_is_memorised_or_not(tmp_path: Path) -> None:
    found = told(tmp_path, classify(lambda: mlp(48), quick, loader={}, steps=150), "memorise-batch", "model-too-small")
    assert found.answer == "against"

    def blind() -> nn.Module:  # every sample gets the same answer
        return nn.Sequential(nn.Linear(8, 1), nn.Threshold(1e9, 0.0), nn.Linear(1, 3))

    (tmp_path / "blind").mkdir()
    found = told(tmp_path / "blind", classify(blind, quick, loader={}, steps=60), "memorise-batch", "model-too-small")
    assert found.answer == "for"


def test_a_column_that_is_the_answer_is_told(tmp_path: Path) -> None:
    def leaking(x: torch.Tensor) -> torch.Tensor:
        _, y = data()
        return torch.cat([torch.randn(len(x), 7, generator=torch.Generator().manual_seed(3)), 3.0 * y[:, None]], 1)

    found = told(
        tmp_path, classify(lambda: mlp(16), quick, change=leaking, steps=150), "hide-feature", "target-leakage"
    )
    assert found.answer == "for"


def evaluated(*, shifted: bool, dropping: bool) -> Any:
    """A loop with validation data from elsewhere, or with an evaluation that is broken."""

    def run() -> None:
        x, y = data(480)
        held_out = x[240:] + (5.0 if shifted else 0.0)
        model = mlp(32)
        optimizer = quick(model.parameters())
        training = DataLoader(TensorDataset(x[:240], y[:240]), 24)
        validation = DataLoader(TensorDataset(held_out, y[240:]), 24)
        for _ in range(8):
            for inputs, targets in training:
                optimizer.zero_grad()
                F.cross_entropy(model(inputs), targets).backward()
                optimizer.step()
            with torch.no_grad():
                for inputs, targets in validation:
                    F.cross_entropy(model(inputs * (0.0 if dropping else 1.0)), targets)

    return run


def test_a_gap_is_traced_to_the_data_or_to_the_evaluation(tmp_path: Path) -> None:
    found = told(tmp_path, evaluated(shifted=True, dropping=False), "evaluate-on-training-data", "train-val-mismatch")
    assert found.answer == "for"
    (tmp_path / "code").mkdir()
    found = told(
        tmp_path / "code", evaluated(shifted=False, dropping=True), "evaluate-on-training-data", "train-val-mismatch"
    )
    assert (found.answer, found.factor) == ("against", 0.1)
