"""What people see when they print or display what traindx returns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import traindx
from traindx.record import RunBuilder

API = {
    "RecordError", "Run", "__version__", "check", "compute_gradient_stats", "diagnose_gradient_pathology", "load",
    "lr_range_test", "start", "watch",
}  # fmt: skip


def made_run(name: str = "<b>made</b>.csv") -> traindx.Run:
    steps = np.arange(400)
    loss = np.exp(-steps / 100) + 0.1
    loss[300:] = np.nan
    return RunBuilder(name, "csv").series("loss/train", steps, loss).layers("grad_rms", [0], ["a"], [[1.0]]).build()


def test_dir_shows_the_api_before_anything_is_imported() -> None:
    program = "import traindx; print(*dir(traindx))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == API == set(traindx.__all__)
    assert all(getattr(traindx, name) is not None for name in dir(traindx))


def test_reprs_are_one_short_line() -> None:
    run = made_run()
    found = run.diagnose()
    shown = [run, found, found.leading, run.series("loss/train"), run.series("none"), run.layers("grad_rms"),
             run.layers("none")]  # fmt: skip
    for thing in shown:
        assert repr(thing).startswith("<") and "\n" not in repr(thing) and len(repr(thing)) < 300, repr(thing)
    assert repr(run) == "<Run <b>made</b>.csv (csv, 400 steps)>"
    assert repr(run.series("loss/train")).endswith("400 points, steps 0 to 399, 0.1503 to 1.1, 100 not finite>")


def test_printing_a_run_says_what_it_holds() -> None:
    page = str(made_run())
    assert "loss/train" in page and "grad_rms" in page and "diagnose" in page


@pytest.mark.parametrize("of_run", [True, False])
def test_a_notebook_gets_verdict_cause_and_curve_without_scripts(of_run: bool) -> None:
    run = made_run()
    page = run._repr_html_() if of_run else run.diagnose()._repr_html_()
    assert "Sick" in page and "<svg" in page and "<polyline" in page
    assert "<script" not in page and "<b>made" not in page and "&lt;b&gt;made" in page
    assert len(page) < 40_000


def test_a_range_test_is_printed_as_sentences() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    x = torch.randn(64, 4)
    batches = [(x, x.sum(1, keepdim=True))] * 200
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    test = traindx.lr_range_test(model, batches, torch.nn.functional.mse_loss, optimizer)
    with pytest.raises(TypeError, match="the optimizer is a list"):
        traindx.lr_range_test(model, optimizer, torch.nn.functional.mse_loss, batches)
    assert "array" not in repr(test) and len(repr(test)) < 100
    assert str(test).startswith(("Learning rate ", "No learning rate")) and "array" not in str(test)


def test_gradients_are_printed_as_a_table_and_their_faults_as_lines() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with torch.no_grad():
        model[0].bias.fill_(-100.0)
    batches = [(torch.randn(16, 4), torch.randn(16, 1)) for _ in range(3)]
    stats = traindx.compute_gradient_stats(model, batches, torch.nn.functional.mse_loss)
    lines = str(stats).splitlines()
    assert lines[0].split() == ["parameter", "mean", "std", "min", "max", "zero_share"]
    assert [line.split()[0] for line in lines[1:]] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert repr(stats) == "<GradientStats of Sequential: 4 parameters>"
    pathology = traindx.diagnose_gradient_pathology(stats)
    assert all(text in str(pathology) for text in [*pathology.errors, *pathology.warnings])
    assert "error" in str(pathology) or "warning" in str(pathology)


def test_a_check_is_short_in_a_list_and_long_in_print() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    report = traindx.check(
        model, (torch.randn(32, 4), torch.arange(32) % 3), torch.nn.functional.cross_entropy, steps=5
    )
    assert "\n" not in repr(report) and "passed" in repr(report)
    assert len(str(report).splitlines()) > 5


def test_a_watch_says_how_far_it_is() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with traindx.watch(model, optimizer) as run:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(4, 2)).mean().backward()
            optimizer.step()
        assert "watching" in repr(run)
    assert "(stopped, 3 steps)" in repr(run) and repr(run) in str(run)
    assert "<svg" in run._repr_html_()
