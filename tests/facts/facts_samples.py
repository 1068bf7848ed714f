"""Runs made for these tests: a small network that trains as it should."""

from __future__ import annotations

from typing import Any

import numpy as np

from traindx.facts import Quantity, Range, Reading
from traindx.record import Run, RunBuilder

LINE = {"file": "train.py", "line": 12, "text": "loss = F.cross_entropy(model(x), y)"}


def builder(seed: int = 0, *, steps: int = 200, module: str = "Linear", dead: float = 0.05) -> RunBuilder:
    """An observed run: losses, per-layer tables, one optimizer, one loss, one loader."""
    rng = np.random.default_rng(seed)
    at, looks, names = np.arange(steps), np.arange(0, steps, 20), [f"layer{i}.weight" for i in range(4)]
    params = [
        {"name": name, "module": module, "kind": "weight", "shape": [16, 16], "elements": 256.0, "requires_grad": True,
         "optimizer": 0, "depth": i, "ran": True, "grad": "yes", "moved": True}
        for i, name in enumerate(names)
    ]  # fmt: skip
    made = RunBuilder(f"run{seed}.tdx", "observed")
    made.series("loss/train", at, 2.3 * np.exp(-at / 40) + 0.3 + 0.02 * rng.random(steps))
    made.series("lr", at, np.full(steps, 1e-3))
    made.layers("update_ratio", looks, names, 2e-3 * np.exp(0.1 * rng.standard_normal((len(looks), 4))))
    made.layers("grad_norm", looks, names, np.exp(0.1 * rng.standard_normal((len(looks), 4))))
    made.layers("act_dead", looks, ["relu1", "relu2"], np.full((len(looks), 2), dead) + 0.01 * rng.random())
    made.fact("steps", steps).fact("exit", "ok").fact("params", params)
    made.fact("optimizers", [{
        "class": "AdamW", "site": {**LINE, "line": 3}, "steps": steps, "tensors": 4, "elements": 1024,
        "groups": [{"lr": 1e-3, "betas": [0.9, 0.999], "eps": 1e-8, "weight_decay": 0.01}],
    }])  # fmt: skip
    made.fact("losses", [loss_entry()])
    made.fact("loaders", [{"role": "train", "dataset": "Digits", "size": 1000, "batch_size": 50, "batches": 20,
                           "shuffled": True, "sampler": "RandomSampler", "workers": 0,
                           "site": {**LINE, "line": 5}}])  # fmt: skip
    return made


def loss_entry() -> dict[str, Any]:
    return {
        "fn": "cross_entropy", "site": LINE, "phase": "train", "calls": 200, "reduction": "mean",
        "input": {"shape": [50, 10], "dtype": "torch.float32", "min": -5.0, "max": 4.0, "grad_fn": "AddmmBackward0"},
        "target": {"shape": [50], "dtype": "torch.int64", "min": 0, "max": 9},
    }  # fmt: skip


def run(seed: int = 0, **changes: Any) -> Run:
    return builder(seed, **changes).build()


def quantity(*, log: bool = False, grain: float = 0.01, unit: str = "") -> Quantity:
    return Quantity("q", "A quantity", "How large?", lambda _run, _signs: (), unit, log, grain)


def normal_range(hosts: int = 200) -> Range:
    """0 to 100 in equal steps: the 5 % quantile is 5, and so on."""
    return Range("observed", (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0), 300, hosts, {"zoo": 300})


def reading(value: float) -> Reading:
    return Reading(value, ("observed",))
