"""Losses of different functions or tasks are not ranked against each other."""

from __future__ import annotations

import json

import numpy as np
import pytest
from made_runs import STEPS, losses, outcomes

from traindx.comparison import Metric, compare
from traindx.comparison.types import Quantity
from traindx.record import Run, RunBuilder
from traindx.reports.comparison import render


def observed(
    name: str, level: float, fn: str = "cross_entropy", classes: int = 10, accuracy: float | None = None, **more
) -> Run:
    call = {"fn": fn, "phase": "train", "calls": 100, "reduction": "mean", "input": {"shape": [32, classes]}, **more}
    builder = RunBuilder(f"{name}.tdx", "observed").series("loss/train", STEPS, losses(level, 1)).fact("losses", [call])
    if accuracy is not None:
        builder.series("accuracy/validation", STEPS, np.full(len(STEPS), accuracy))
    return builder.build()


def logged(name: str, level: float, column: str, beside: tuple[str, ...] = (), **config) -> Run:
    """`beside`: further series of the log."""
    log = {"columns": {"loss/train": column}, "config": config, "step_unit": "step"}
    builder = RunBuilder(f"{name}.csv", "csv").series("loss/train", STEPS, losses(level, 2)).fact("log", log)
    for series in beside:
        builder.series(series, STEPS, np.full(len(STEPS), 0.5))
    return builder.build()


UNLIKE = {
    "functions": (observed("a", 0.5), observed("b", 0.1, "mse_loss")),
    "numbers of classes": (observed("a", 0.5), observed("b", 0.1, classes=50_257)),
    "label smoothing": (observed("a", 0.5), observed("b", 0.1, label_smoothing=0.1)),
    "sum and mean": (observed("a", 0.5), observed("b", 9.0, reduction="sum")),
    "divided for accumulation": (observed("a", 0.5, value_ratio=1.0), observed("b", 0.1, value_ratio=0.125)),
    "columns": (logged("a", 0.5, "train_rmse"), logged("b", 0.1, "train/mse")),
    "configured functions": (
        logged("a", 0.5, "loss", criterion="MSELoss"),
        logged("b", 0.1, "loss", criterion="L1Loss"),
    ),
    "vocabularies": (logged("a", 0.5, "loss", vocab_size=100), logged("b", 0.1, "loss", vocab_size=50_257)),
    "logs of one format that share nothing else": (
        logged("a", 0.5, "loss", ("accuracy/train", "epoch")),
        logged("b", 0.1, "loss", ("raw/perplexity", "epoch")),
    ),
    "record and log": (observed("a", 0.5), logged("b", 0.1, "train_mse")),
}


@pytest.mark.parametrize("how", UNLIKE)
def test_unlike_losses_are_not_ranked(how):
    found = compare(outcomes(*UNLIKE[how]))
    assert not found.ranked and found.effects == []
    assert [entry.name[0] for entry in found.entries] == ["a", "b"]
    (sentence,) = found.statement
    assert "not ranked" in sentence and "best run" not in sentence
    assert "by name" in render(found, "text") and "best first" not in render(found, "text")
    assert json.loads(render(found, "json"))["ranked"] is False
    page = render(found, "html")
    assert "best" not in page[page.index("<body>") : page.index("<h2>Runs")]
    assert '<svg class="chart"' not in page and "steps to" not in page + render(found, "text")
    content = json.loads(render(found, "json"))
    assert content["level"] is None and {run["steps_to_level"] for run in content["runs"]} == {None}


ALIKE = {
    "the same function": (observed("a", 0.5), observed("b", 0.1)),
    "a function and its class": (logged("a", 0.5, "loss", criterion="nn.MSELoss"), observed("b", 0.1, "mse_loss", 1)),
    "nothing known of one": (observed("a", 0.5), logged("b", 0.1, "loss")),
    "a small penalty": (observed("a", 0.5, value_ratio=1.0), observed("b", 0.1, value_ratio=1.2)),
    "one that logs more": (logged("a", 0.5, "loss"), logged("b", 0.1, "loss", ("lr", "raw/ppl"))),
    "logs that share a column": (logged("a", 0.5, "loss", ("lr", "raw/x")), logged("b", 0.1, "loss", ("lr", "raw/y"))),
    "columns of two names": (logged("a", 0.5, "loss"), logged("b", 0.1, "train_loss")),
}


@pytest.mark.parametrize("how", ALIKE)
def test_like_losses_are_ranked(how):
    found = compare(outcomes(*ALIKE[how]))
    assert found.ranked and found.entries[0].name[0] == "b"


def test_accuracy_ranks_runs_of_one_task_with_different_losses():
    runs = observed("a", 0.5, accuracy=0.9), observed("b", 0.1, "multi_margin_loss", accuracy=0.7)
    found = compare(outcomes(*runs))
    assert found.ranked and found.metric == "validation accuracy"
    assert [entry.name for entry in found.entries] == ["a", "b"]
    assert any("different quantities" in note for note in found.notes)


def test_accuracy_of_other_tasks_ranks_nothing():
    runs = observed("a", 0.5, accuracy=0.9), observed("b", 0.1, classes=1000, accuracy=0.7)
    assert not compare(outcomes(*runs)).ranked


def test_a_metric_of_the_users_own_is_ranked():
    runs = observed("a", 0.5, accuracy=0.9), observed("b", 0.1, "mse_loss", accuracy=0.7)
    metric = Metric("accuracy/validation", True)
    assert compare(outcomes(*runs), metric).ranked


def test_quantities_name_themselves():
    assert str(Quantity("cross-entropy", "cross_entropy", 50_257, ("label smoothing 0.1",))) == (
        "cross_entropy over 50,257 classes, label smoothing 0.1"
    )


def of_tool(name: str, kind: str, column: str, level: float) -> Run:
    log = {"columns": {"loss/train": column}, "step_unit": "step"}
    return RunBuilder(name, kind).series("loss/train", STEPS, losses(level, 2)).fact("log", log).build()


def test_logs_of_two_tools_under_two_names_are_ranked_only_on_request():
    runs = of_tool("a.csv", "csv", "loss", 0.5), of_tool("trainer_state.json", "hf-trainer", "train_loss", 0.1)
    found = compare(outcomes(*runs))
    assert not found.ranked and "may be different" in found.statement[0] and "--metric train" in found.statement[0]
    metric = Metric("loss/train", False)
    assert compare(outcomes(*runs), metric).ranked


@pytest.mark.parametrize(("kind", "column"), [("csv", "train_loss"), ("text", "loss")])
def test_logs_of_one_tool_or_one_name_are_ranked(kind, column):
    assert compare(outcomes(of_tool("a.csv", "csv", "loss", 0.5), of_tool("b", kind, column, 0.1))).ranked
