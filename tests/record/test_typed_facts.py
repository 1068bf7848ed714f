"""The typed reading layer: what a run says of its optimizers, parameters, losses, models and loaders."""

from __future__ import annotations

import math

import pytest

from traindx.record import RunBuilder
from traindx.record.facts import readers
from traindx.record.program import loss_kind
from traindx.record.site import Site
from traindx.record.values import histogram, number, numbers, shape

SITE = {"file": "train.py", "line": 12, "text": "  loss = f(x)  ", "function": "main"}
ODD = [None, True, 3, -1.5, math.nan, "word", [], {}, [None, 3, "x", [1]], {"a": None}]


def run_with(**facts):
    builder = RunBuilder("made", "observed")
    for key, value in facts.items():
        builder.fact(key, value)
    return builder.build()


def test_optimizers():
    groups = [{"lr": 0.1, "betas": [0.9, 0.99]}, {"lr": "x"}]
    run = run_with(
        optimizers=[{"class": "AdamW", "site": SITE, "groups": groups, "steps": 9, "emptied": 4}, {"class": "SGD"}]
    )
    first, second = run.optimizers
    assert (first.class_name, first.steps, first.emptied) == ("AdamW", 9.0, 4.0)
    assert first.adaptive and not second.adaptive and second.groups == ()
    assert [group.setting("lr") for group in run.groups] == [0.1, None]
    assert str(first.site) == "train.py:12" and first.site == Site("train.py", 12, "loss = f(x)")


@pytest.mark.parametrize(
    "name", ["Adam", "AdamW", "RAdam", "NAdam", "RMSprop", "Lion", "torch.optim.Adagrad", "Adafactor"]
)
def test_adaptive_optimizers(name):
    assert run_with(optimizers=[{"class": name}]).optimizers[0].adaptive


@pytest.mark.parametrize("name", ["SGD", "ASGD", "LBFGS", "Rprop", ""])
def test_other_optimizers(name):
    assert not run_with(optimizers=[{"class": name}]).optimizers[0].adaptive


def test_parameters_come_in_order_of_execution():
    run = run_with(
        params=[
            {
                "name": "b",
                "depth": 2,
                "kind": "weight",
                "shape": [3, 4],
                "init_std": 0.5,
                "fan_in": 16,
                "optimizer": True,
            },
            {"name": "a", "depth": 1, "optimizer": 0, "requires_grad": False},
        ]
    )
    a, b = run.parameters
    assert (a.name, a.trains, a.optimizer, a.matrix) == ("a", False, 0, False)
    assert b.matrix and b.gain == 2.0 and b.optimizer is None
    functional = run_with(params=[{"name": "a"}], backward_sites=[{"functional": True, "per_step": 4}])
    assert functional.parameters == () and functional.backwards_per_step == 4.0


def test_losses_by_phase():
    run = run_with(
        losses=[
            {
                "fn": "cross_entropy",
                "phase": "train",
                "site": SITE,
                "input": {"shape": [8, 10], "grad_fn": "AddmmBackward0"},
            },
            {"fn": "nn.MSELoss", "phase": "eval"},
        ]
    )
    (training,), (evaluation,) = run.training_losses, run.evaluation_losses
    assert (training.kind, training.made_by, training.input.shape) == ("cross-entropy", "Addmm", (8, 10))
    assert evaluation.kind == "squared" and evaluation.input.shape is None and evaluation.site is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("F.cross_entropy", "cross-entropy"),
        ("BCEWithLogitsLoss", "bce-logits"),
        ("smooth_l1_loss", "absolute"),
        ("my", ""),
    ],
)
def test_kinds_of_losses(name, kind):
    assert loss_kind(name) == kind


def test_models_and_loaders():
    modules = [
        {"name": "2", "type": "ReLU", "order": 1},
        {"name": "1", "type": "Linear", "order": 0},
        {"name": "x", "type": "Linear"},
    ]
    run = run_with(
        models=[{"class": "Net", "modules": modules, "site": SITE}],
        loaders=[{"role": "eval", "size": 5}, {"role": "train", "size": 50, "shuffled": True, "workers": 2}],
    )
    assert [module.name for module in run.modules] == ["1", "2", "x"] and run.modules[0].maps
    (loader,) = run.training_loaders
    assert (loader.size, loader.shuffled, loader.workers, loader.batches) == (50.0, True, 2.0, None)


def test_graphs_units_and_endings():
    run = run_with(**{"graph/1": {"penalised": 2}, "graph": {"penalised": 1}, "log": {"step_unit": "epoch"}})
    assert [graph.penalised for graph in run.graphs] == [1, 2] and run.step_unit == "epoch"
    assert run_with(observers_off={"everything": "late"}).seen_in_part == "late"


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_odd_facts_are_read_as_absent(value):
    """None of them raises, at any depth: fields of an entry that is no entry have their empty value."""
    derived = ("optimizers", "groups", "parameters", "losses", "modules", "graphs")
    keys = ("optimizers", "params", "losses", *(key for key, _ in readers().values()))
    entry = dict.fromkeys(("groups", "site", "shape", "modules", "signs", "columns", "settings", "layers"), value)
    for facts in (dict.fromkeys(keys, value), {key: [value] for key in keys}, {key: [entry] for key in keys},
                  dict.fromkeys(keys, entry)):  # fmt: skip
        run = run_with(**facts)
        for name in (*derived, *readers()):
            found = getattr(run, name)
            assert all(map(repr, found)) if isinstance(found, tuple) else repr(found)
        assert isinstance(run.step_unit, str) and run.backwards_per_step >= 1.0
        assert all(isinstance(text, str) for text in (run.exit, run.error.line, run.clipping.kind, run.script.called))


def test_values():
    assert number(3) == 3.0 and number(True) is None and number(math.inf) is None and number(10**400) is None
    assert numbers([1, None, "x", 2.5]) == [1.0, 2.5] and numbers("12") == []
    assert shape([2, 3]) == (2, 3) and shape([2, "x"]) is None and shape(None) is None
    assert histogram({"a": 2, "b": 0, "c": "x"}) == {"a": 2.0}
    assert run_with(graph={"ops": {"AddmmBackward0": 2, "addmm": 1, "x": -3}}).graph.counts == {"addmm": 3.0, "x": 0.0}


def test_sites():
    assert Site.of({"file": "a.py", "line": "x"}) == Site("a.py", 0) and str(Site("a.py", 0)) == "a.py"
    assert Site.of({"line": 3}) is None and Site.of("a.py:3") is None
