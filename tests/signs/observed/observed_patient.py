"""A healthy observed run that tests make sick in one place: a plain classifier of seven layers with ReLUs.

Everything is built from stated truths (seeded noise around a level), never from output of the code under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from traindx.record import Event, Run, RunBuilder
from traindx.signs import Missing, Sign, all_signs, measure_all

STEPS = 2000
LOOKS = list(range(0, STEPS, 40))
SITE = {"file": "train.py", "line": 12, "text": "loss.backward()", "function": "main"}
LINEARS = [f"net.{2 * i}" for i in range(7)]
RELUS = [f"net.{2 * i + 1}" for i in range(6)]
WIDTHS = [20, 64, 64, 64, 64, 64, 64, 10]
WEIGHTS = [f"{name}.weight" for name in LINEARS]


class Patient:
    """Facts, series, tables and events that a test may change before it builds the run."""

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}
        self.series: dict[str, tuple[list[int], list[float]]] = {}
        self.tables: dict[str, tuple[list[int], list[str], list[list[float]]]] = {}
        self.events: list[Event] = []

    def curve(self, name: str, values: Iterable[float], steps: Iterable[int] | None = None) -> Patient:
        found = [float(value) for value in values]
        places = list(steps) if steps is not None else LOOKS if len(found) == len(LOOKS) else list(range(len(found)))
        self.series[name] = (places, found)
        return self

    def level(self, name: str, value: float, noise: float = 0.1, seed: int = 0) -> Patient:
        """Log-normal noise around a level, one point a look."""
        draws = np.random.default_rng(seed).normal(0, noise, len(LOOKS))
        return self.curve(name, value * np.exp(draws))

    def table(self, quantity: str, by_layer: dict[str, float], noise: float = 0.1) -> Patient:
        draws = np.exp(np.random.default_rng(1).normal(0, noise, (len(LOOKS), len(by_layer))))
        values = draws * np.array(list(by_layer.values()))
        self.tables[quantity] = (LOOKS, list(by_layer), values.tolist())
        return self

    def event(self, kind: str, step: int | None, **data: Any) -> Patient:
        self.events.append(Event(kind, step, data))
        return self

    def without(self, *names: str) -> Patient:
        for name in names:
            for store in (self.facts, self.series, self.tables):
                store.pop(name, None)
        return self

    def each_param(self, change: Callable[[dict[str, Any]], None], *names: str) -> Patient:
        """Change the parameters of these names, or all of them."""
        for entry in self.facts["params"]:
            if not names or entry["name"] in names:
                change(entry)
        return self

    def params(self, *names: str, **values: Any) -> Patient:
        # A parameter without a gradient has no norm of it, at any look.
        if values.get("grad") in ("none", "zero") and "grad_norm" in self.tables:
            looks, layers, rows = self.tables["grad_norm"]
            norm = math.nan if values["grad"] == "none" else 0.0
            gone = [not names or layer in names for layer in layers]
            rows = [[norm if off else value for off, value in zip(gone, row, strict=True)] for row in rows]
            self.tables["grad_norm"] = (looks, layers, rows)
        return self.each_param(lambda entry: entry.update(values), *names)

    def modules(self, *modules: dict[str, Any]) -> Patient:
        self.facts["models"][0]["modules"] = list(modules)
        return self

    def loss(self, **values: Any) -> Patient:
        """Change the loss call; `input` and `target` are merged."""
        call = self.facts["losses"][0]
        for key, value in values.items():
            call[key] = {**call.get(key, {}), **value} if isinstance(value, dict) else value
        return self

    def optimizer(self, **settings: Any) -> Patient:
        optimizer = self.facts["optimizers"][0]
        for key, value in settings.items():
            target = optimizer if key in ("class", "steps", "grads_kept") else optimizer["groups"][0]
            target[key] = value
        return self

    def merge(self, key: str, **values: Any) -> Patient:
        self.facts[key] = {**self.facts.get(key, {}), **values}
        return self

    def build(self) -> Run:
        builder = RunBuilder("run.tdx", "observed")
        for key, value in self.facts.items():
            builder.fact(key, deepcopy(value))
        for name, (steps, values) in self.series.items():
            builder.series(name, steps, values)
        for quantity, (steps, layers, rows) in self.tables.items():
            builder.layers(quantity, steps, layers, np.asarray(rows, float).reshape(len(steps), len(layers)))
        for event in self.events:
            builder.event(event.kind, event.step, **event.data)
        return builder.build()


def module(name: str, type_: str, order: int | None, **settings: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "order": order, "settings": settings}


def mlp_modules() -> list[dict[str, Any]]:
    kinds = ["Linear", "ReLU"] * 6 + ["Linear"]
    return [module(f"net.{i}", kind, i) for i, kind in enumerate(kinds)]


def _parameter(name: str, kind: str, shape: list[int], depth: int) -> dict[str, Any]:
    fan_in = WIDTHS[depth]
    return {
        "name": name,
        "module": "Linear",
        "kind": kind,
        "shape": shape,
        "elements": math.prod(shape),
        "dtype": "float32",
        "requires_grad": True,
        "optimizer": 0,
        "loaded": False,
        "shared": [],
        "init_mean": 0.0,
        "init_std": 1 / math.sqrt(3 * fan_in),  # uniform between -1/sqrt(fan_in) and 1/sqrt(fan_in)
        "init_kurtosis": 1.8,
        "fan_in": fan_in,
        "rows_identical": 1 / shape[0],
        "constant": False,
        "grad": "yes",
        "moved": True,
        "ran": True,
        "depth": depth,
    }


def healthy() -> Patient:
    p = Patient()
    p.facts = {
        "steps": STEPS,
        "backwards": STEPS,
        "forwards": STEPS + 100,
        "eval_passes": 10,
        "exit": "ok",
        "optimizers": [
            {
                "class": "SGD",
                "site": SITE,
                "groups": [{"lr": 0.05, "momentum": 0.9, "weight_decay": 1e-4, "maximize": False}],
                "steps": STEPS,
                "first_step": 0,
                "grads_kept": 0,
            }
        ],
        "schedulers": [
            {"class": "CosineAnnealingLR", "optimizer": 0, "site": SITE, "steps": 20, "settings": {"T_max": 20}}
        ],
        "loaders": [
            {"size": 6400, "batch_size": 64, "batches": 100, "sampler": "RandomSampler", "shuffled": True}
            | {"workers": 2, "site": SITE, "role": "train"},
            {"size": 1000, "batch_size": 100, "batches": 10, "sampler": "SequentialSampler", "shuffled": False}
            | {"workers": 0, "site": SITE, "role": "eval"},
        ],
        "models": [{"name": "net", "class": "Net", "site": SITE, "compiled": False, "modules": mlp_modules()}],
        "params": [
            _parameter(f"{name}.{part}", part, [WIDTHS[i + 1], WIDTHS[i]] if part == "weight" else [WIDTHS[i + 1]], i)
            for i, name in enumerate(LINEARS)
            for part in ("weight", "bias")
        ],
        "backward_sites": [{"site": SITE, "count": STEPS, "per_step": 1.0, "loss_shape": []}],
        "losses": [
            {
                "fn": "cross_entropy",
                "site": SITE,
                "phase": "train",
                "calls": STEPS,
                "reduction": "mean",
                "input": {"shape": [64, 10], "dtype": "float32", "min": -9.0, "max": 11.0, "row_sum_min": -4.0}
                | {"row_sum_max": 6.0, "grad_fn": "AddmmBackward0"},
                "target": {"shape": [64], "dtype": "int64", "min": 0, "max": 9, "integer_valued": True, "distinct": 10},
                "broadcast": False,
                "value_ratio": 1.0,
            }
        ],
        "graph": {
            "nodes": 40,
            "ops": {"AddmmBackward0": 7, "ReluBackward0": 6, "NllLossBackward0": 1, "LogSoftmaxBackward0": 1},
            "tail": ["NllLossBackward0", "LogSoftmaxBackward0", "AddmmBackward0"],
            "negated": False,
            "divided_by": None,
            "linear_chain": 1,
            "softmaxes": [{"dim": 1, "shape": [64, 10], "log": True, "in_loss": True}],
            "broadcasts": [],
            "view_permutes": [],
            "last_activation": "Relu",
        },
        "modes": {"train_forwards": 0, "train_forwards_in_eval_mode": 0, "eval_forwards": 0}
        | {"eval_forwards_in_train_mode": 0, "mode_layers": [], "train_off": []},
        "precision": {
            "param_dtypes": {"float32": 25000},
            "autocast": None,
            "scaler": False,
            "activations": ["float32"],
        },
        "data/train": {"batches": 50, "samples": 3200, "shape": [64, 20], "dtype": "float32", "mean": 0.01, "std": 1.0}
        | {"min": -4.1, "max": 4.3, "nonfinite": 0, "feature_mean": [0.01] * 20, "feature_std": [1.0] * 20},
        "data/eval": {"batches": 10, "samples": 1000, "shape": [100, 20], "dtype": "float32", "mean": 0.0, "std": 1.02}
        | {"min": -4.0, "max": 4.1, "nonfinite": 0, "feature_mean": [0.0] * 20, "feature_std": [1.02] * 20},
        "targets/train": {"kind": "class ids", "shape": [64], "dtype": "int64", "mean": 4.5, "std": 2.9, "nonfinite": 0}
        | {"classes": 10, "histogram": {str(c): 320 + c for c in range(10)}}
        | {"predictions": {str(c): 320 - c for c in range(10)}},
        "label_order": {"batches": 50, "mean_majority": 0.19, "expected_majority": 0.185, "runs": 4},
        "overlap": {"eval_samples": 1000, "train_samples_hashed": 3200, "train_share_hashed": 1.0, "shared": 0},
        "repeats": {"hashed": 3200, "distinct": 3200},
        "shift_relation": {"checked": 10, "targets_are_next_inputs": False},
        "attention": [],
        "feature_leak": {"feature": 3, "correlation": 0.4, "samples": 3200},
    }
    decay = 2.3 * np.exp(-np.linspace(0, 3, len(LOOKS)))
    p.curve("loss/train", decay).curve("loss/function", decay)
    p.curve("loss/validation", decay[::5] * 1.1, LOOKS[::5])
    p.level("grad_norm", 1.0, 0.4).level("weight_norm", 30.0, 0.01).level("update_ratio", 2e-3)
    p.level("decay_ratio", 0.02).level("batch_size", 64.0, 0.0).level("noise_scale", 400.0, 0.5)
    rng = np.random.default_rng(2)
    p.curve("grad_cosine", rng.normal(0.1, 0.1, len(LOOKS))).curve("update_cosine", rng.normal(-0.1, 0.1, len(LOOKS)))
    for name, value in {"input_max": 4.0, "target_max": 9.0, "input_rms": 1.0, "graph_nodes": 40.0}.items():
        p.level(name, value, 0.02)
    p.level("label_majority", 0.19).level("correct/majority", 0.2).level("memory", 500 * 2.0**20, 0.01)
    for name, value in {"data": 0.0005, "backward": 0.004, "total": 0.01}.items():
        p.level(f"time/{name}", value, 0.05)
    p.table("grad_norm", {name: 0.3 + 0.05 * i for i, name in enumerate(WEIGHTS)})
    p.table("weight_norm", dict.fromkeys(WEIGHTS, 5.0), 0.01).table("update_ratio", dict.fromkeys(WEIGHTS, 2e-3))
    p.table("act_zero", dict.fromkeys(RELUS, 0.5)).table("act_dead", dict.fromkeys(RELUS, 0.05))
    p.table("act_std", {name: 0.6 * 0.8**i for i, name in enumerate(LINEARS)}).table(
        "act_max", dict.fromkeys(LINEARS, 3)
    )
    return p


def squashed() -> Patient:
    """The same network with sigmoids for ReLUs."""
    p = healthy()
    for entry in p.facts["models"][0]["modules"]:
        entry["type"] = entry["type"].replace("ReLU", "Sigmoid")
    p.without("act_dead", "act_zero")
    return p.table("act_saturated", dict.fromkeys(RELUS, 0.1)).table("preact_large", dict.fromkeys(RELUS, 0.02))


def regression(**target: Any) -> Patient:
    """A regression by mean squared error on standardised targets."""
    p = healthy().loss(fn="mse_loss", input={"shape": [64, 1], "min": -2.0, "max": 2.0, "row_sum_min": -2.0})
    stated = {"shape": [64, 1], "dtype": "float32", "min": -2.5, "max": 2.5, "integer_valued": False, "distinct": 3000}
    p.loss(target={**stated, **target})
    p.facts["targets/train"] = {"kind": "values", "shape": [64, 1], "dtype": "float32", "mean": 0.0, "std": 1.0}
    p.facts["targets/train"]["nonfinite"] = 0
    return p.without("label_order", "label_majority", "correct/majority")


def jumping(at: int, **batch: float) -> Patient:
    p = healthy()
    for name, value in batch.items():
        steps, values = p.series[name]
        p.curve(name, [value if i == at else v for i, v in enumerate(values)], steps)
    return p.event("loss-jump", LOOKS[at], **{"from": 0.5, "to": 9.0})


def unshuffled(**order: Any) -> Patient:
    p = healthy()
    p.facts["loaders"][0].update(shuffled=False, sampler="SequentialSampler")
    return p.merge("label_order", **order) if order else p.without("label_order")


def overlap(shared: int, **repeats: int) -> Patient:
    return healthy().merge("overlap", shared=shared).merge("repeats", **repeats)


def leaking(r: float, **data: Any) -> Patient:
    return healthy().merge("feature_leak", correlation=r).merge("data/train", **data)


def adam(p: Patient, **settings: Any) -> Patient:
    return p.optimizer(**{"class": "Adam", "momentum": None, "betas": [0.9, 0.999], "eps": 1e-8}, **settings)


def half(p: Patient, **values: Any) -> Patient:
    return p.merge("precision", param_dtypes={"float16": 9}, autocast=None, activations=["float16"], **values)


def few_steps(n: int = 60) -> Patient:
    p = healthy()
    p.facts["steps"] = n
    p.facts["loaders"][0]["batches"] = 3
    return p


def decaying(p: Patient, rate: float) -> Patient:
    return p.curve("lr", [rate] * len(LOOKS))


def measured(sign_id: str, patient: Patient) -> Sign:
    """The sign, which must not be missing."""
    found = all_signs()[sign_id].measure(patient.build())
    assert isinstance(found, Sign), found
    return found


def judged(sign_id: str, patient: Patient) -> Sign:
    """The sign as diagnosis counts it, with its excuses; it must not be missing."""
    found = measure_all(patient.build())
    assert sign_id in found, found.missing.get(sign_id)
    return found[sign_id]


def missing(sign_id: str, patient: Patient) -> Missing:
    found = all_signs()[sign_id].measure(patient.build())
    assert isinstance(found, Missing), found
    return found


Case = tuple[str, Callable[[], Patient]]


def sick(table: dict[str, list[Case]], holds: Callable[[Sign], bool] = lambda sign: sign.raised) -> Any:
    """A test that every patient in the table, by sign, raises its sign."""

    @pytest.mark.parametrize(
        ("sign_id", "patient"),
        [pytest.param(i, make, id=f"{i}: {what}") for i, found in table.items() for what, make in found],
    )
    def test(sign_id: str, patient: Callable[[], Patient]) -> None:
        sign = judged(sign_id, patient())
        assert holds(sign), sign

    return test


def calm(table: dict[str, list[Case]], most: float = 0.4) -> Any:
    """A test that no healthy look-alike in the table raises its sign above this level."""
    return sick(table, lambda sign: sign.level <= most)
