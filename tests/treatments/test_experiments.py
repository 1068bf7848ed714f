"""Experiments tell causes that no change cures, and every cause has a test or a reason why it has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from acting import told
from sick_loops import classify, data, mlp
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from traindx.causes import all_causes
from traindx.treatments import all_experiments, all_interventions
from traindx.treatments.untreatable import WHY_NOT

torch.set_num_threads(1)


def test_every_cause_has_a_test_or_a_reason() -> None:
    units = (*all_interventions().values(), *all_experiments().values())
    tested = {cause for unit in units for cause in unit.tests}
    assert tested | set(WHY_NOT) == set(all_causes())
    assert not tested & set(WHY_NOT)  # a reason that no longer holds
    assert all(text[0].islower() and not text.endswith(".") for text in WHY_NOT.values())


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
    from traindx.treatments.experiments.widen import begin

    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))
    held = list(model.parameters())
    state = torch.get_rng_state()
    driver: Any = begin({"factor": 4})
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
