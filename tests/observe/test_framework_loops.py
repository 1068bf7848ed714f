"""What a framework's trainer knows is read from it as it stands; of a version that is too old nothing is read."""

from __future__ import annotations

import sys
import types

import pytest
import torch

from traindx.observe.framework_loops import loop_around

LIGHTNING = "lightning.pytorch"


def called(monkeypatch, package, **held):
    """The frame in a trainer of a package that is not installed here, and the trainer."""
    source = "class Trainer:\n    def fit(self, get):\n        return get()\n"
    module = types.ModuleType(package)
    exec(source, module.__dict__)
    for name in (package, package.partition(".")[0]):
        monkeypatch.setitem(sys.modules, name, module)
    module.__version__ = held.pop("version")
    trainer = module.Trainer()
    vars(trainer).update(held)
    return trainer, trainer.fit(lambda: loop_around(sys._getframe(1)))


def lightning(monkeypatch, version="2.6.6", metrics=None, **held):
    module = types.SimpleNamespace(automatic_optimization=True)
    connector = types.SimpleNamespace(_callback_metrics={} if metrics is None else metrics)
    given = {"max_epochs": 8, "max_steps": -1, "num_training_batches": 32, "accumulate_grad_batches": 1}
    given |= {"lightning_module": module, "_logger_connector": connector, "version": version, **held}
    return called(monkeypatch, LIGHTNING, **given)


@pytest.mark.parametrize(
    ("held", "steps"),
    [
        ({}, 256),
        ({"accumulate_grad_batches": 5}, 56),
        ({"max_steps": 100}, 100),
        ({"max_epochs": -1}, None),
        ({"num_training_batches": float("inf")}, None),
        ({"lightning_module": types.SimpleNamespace(automatic_optimization=False)}, None),
    ],
)
def test_the_number_of_updates_that_lightning_plans(monkeypatch, held, steps):
    _trainer, loop = lightning(monkeypatch, **held)
    assert loop.fact["name"] == "lightning" and loop.planned() == steps


def test_each_logged_value_is_read_once(monkeypatch):
    metrics = {"val_f1": torch.tensor(0.5), "confusion": torch.ones(3)}
    _trainer, loop = lightning(monkeypatch, metrics=metrics)
    assert [(name, step, float(value)) for name, step, value in loop.metrics(7)] == [("val_f1", 7, 0.5)]
    assert list(loop.metrics(8)) == []
    metrics["val_f1"] = torch.tensor(0.75)
    assert [(name, step, float(value)) for name, step, value in loop.metrics(9)] == [("val_f1", 9, 0.75)]


def test_the_log_of_hugging_face(monkeypatch):
    history = [{"loss": 1.5, "step": 10, "epoch": 0.1}, {"eval_loss": 1.4, "eval_runtime": 3.0, "step": 10}]
    state = types.SimpleNamespace(max_steps=40, log_history=history)
    _trainer, loop = called(monkeypatch, "transformers.trainer", version="5.0.0", state=state)
    assert loop.planned() == 40
    assert list(loop.metrics(10)) == [("loss", 9, 1.5), ("eval_loss", 10, 1.4)]
    history.append({"train_runtime": 9.0, "train_loss": 1.2, "step": 40})
    assert list(loop.metrics(40)) == []


@pytest.mark.parametrize(("version", "old"), [("1.9.5", True), ("2.0.0", False), ("2.10.0rc1", False)])
def test_a_version_that_is_too_old_is_observed_and_not_read(monkeypatch, version, old):
    _trainer, loop = lightning(monkeypatch, version=version, metrics={"f1": torch.tensor(1.0)})
    assert bool(loop.too_old) is old and loop.fact["version"] == version
    if old:
        assert "1.9.5 is older than 2.0" in loop.too_old
        assert loop.planned() is None and list(loop.metrics(3)) == []
