"""The check on a model and a batch, and on scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from probe_scripts import loader_script
from torch import nn

import traindx
from traindx.checks import check_script
from traindx.probes import memorising
from traindx.probes.launch import Script
from traindx.probes.script_check import begin_again, compare_starts
from traindx.reports.check import as_object

LOSS = nn.functional.cross_entropy
Write = Callable[..., Script]


def net(*head: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4), *head)


def batch() -> tuple[Any, Any]:
    torch.manual_seed(1)
    return torch.randn(32, 8), torch.arange(32) % 4


def test_a_sound_model_fails_nothing_and_learns_its_batch() -> None:
    report = traindx.check(net(), batch(), LOSS, rate=1e-2)
    assert report.passed and report["one-batch"].status == "passed"
    assert report["samples-apart"].status == "passed" and report["depends-on-input"].status == "passed"


def test_a_softmax_before_the_cross_entropy_fails_the_loss_s_inputs() -> None:
    report = traindx.check(net(nn.Softmax(1)), batch(), LOSS)
    assert report["loss-inputs"].status == "failed" and not report.passed


def test_non_finite_inputs_fail() -> None:
    x, y = batch()
    x[3, 2] = float("nan")
    assert traindx.check(net(), (x, y), LOSS, steps=5)["finite-data"].status == "failed"


def test_a_part_that_the_loss_does_not_use_fails() -> None:
    class Cut(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Linear(8, 32), nn.Linear(32, 4)

        def forward(self, x: Any) -> Any:
            return self.head(self.body(x).relu().detach())

    report = traindx.check(Cut(), batch(), LOSS, steps=10)
    assert report["gradients-arrive"].status == "failed"


@pytest.mark.usefixtures("in_process")
def test_a_sound_script_passes_and_its_starts_agree(script: Write) -> None:
    report = check_script(script(loader_script(epochs=4)), steps=120)
    assert report.passed, [(a.id, a.text) for a in report.of("failed")]
    assert report["one-batch"].status == "passed" and report["same-start"].status == "passed"
    assert "finite" in report["first-steps"].text
    assert report["gradient-flow"].status == "unasked" and "float16" not in report["gradient-flow"].text
    found = as_object(report)
    assert {check["id"]: check["status"] for check in found["checks"]}["one-batch"] == "passed"
    # It fits noise, so that overfitting may be said of it, or that nothing carries over; a fault may not.
    assert found["verdict"] != "sick" or found["headline"]["id"] in ("overfitting", "not-generalising")


@pytest.mark.usefixtures("in_process")
def test_a_script_that_cannot_learn_its_batch_says_what_that_implies(script: Write) -> None:
    report = check_script(script(loader_script(lr=2e-9)), steps=30)
    answer = report["one-batch"]
    assert answer.status == "failed" and "0.1 and 10 times the learning rate" in answer.text


@pytest.mark.usefixtures("in_process")
def test_a_missing_zero_grad_fails_the_check(script: Write) -> None:
    report = check_script(script(loader_script().replace("        optimizer.zero_grad()\n", "")), steps=30)
    assert report["gradients-cleared"].status == "failed"
    assert as_object(report)["verdict"] == "sick"
    assert "+        optimizer.zero_grad()\n" in str(report) and ">99 %" in str(report)


@pytest.mark.usefixtures("in_process")
def test_starts_without_a_seed_differ_and_agree_from_one_seed(script: Write) -> None:
    unseeded = script(loader_script(epochs=1).replace("torch.manual_seed(0)", ""))
    trials = [begin_again(unseeded, seed) for seed in (0, 1, 0)]
    found = compare_starts(trials[0], trials[1], trials[2])  # type: ignore[arg-type]
    assert found.result == "seed"
    wild = script(loader_script(epochs=1).replace("torch.manual_seed(0)", "torch.seed()"))
    trials = [begin_again(wild, seed) for seed in (0, 1, 0)]
    assert compare_starts(trials[0], trials[1], trials[2]).result == "different"  # type: ignore[arg-type]


@pytest.mark.usefixtures("in_process")
def test_losses_that_play_against_each_other_are_not_memorised(script: Write) -> None:
    text = """
    import torch
    from torch import nn
    g, d = nn.Linear(2, 2), nn.Linear(2, 1)
    og, od = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)
    for step in range(30):
        fake = g(torch.randn(8, 2))
        od.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(d(fake.detach()), torch.zeros(8, 1)).backward()
        od.step()
        og.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(d(fake), torch.ones(8, 1)).backward()
        og.step()
    """
    assert memorising.memorise(script(text), steps=20).result == "unknown"


@pytest.mark.usefixtures("in_process")
def test_a_last_batch_of_one_sample_does_not_hide_that_the_loss_broadcasts(script: Write) -> None:
    text = """
    import warnings
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset
    warnings.simplefilter("ignore")  # torch warns of it, once
    torch.manual_seed(0)
    x = torch.randn(65, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1) + 3), batch_size=32)
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(30):
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb), yb).backward()
            optimizer.step()
    """
    assert check_script(script(text), steps=20)["loss-inputs"].status == "failed"


def test_targets_of_the_wrong_type_are_an_answer_and_no_error() -> None:
    x, y = batch()
    report = traindx.check(net(), (x, y.float()), LOSS)
    assert report["runs"].status == "failed" and "RuntimeError" in report["runs"].text
    # Nothing about steps is passed where none was made.
    assert {answer.group for answer in report.of("passed")} <= {"data"}
