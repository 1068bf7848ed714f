"""Whatever a log holds, a sign is measured or missing: never an exception, never a warning, never a level off scale."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from traindx.record import Run, RunBuilder
from traindx.signs import Missing, Sign, all_signs

INF, NAN = float("inf"), float("nan")
CURVES = {sign_id: m for sign_id, m in all_signs().items() if m.family == "curves"}
NAMES = ("loss/train", "loss/validation", "loss/validation/training_data", "lr", "grad_norm", "epoch")

ODD: dict[str, tuple[list[int], list[float]]] = {
    "empty": ([], []),
    "one point": ([3], [1.0]),
    "two points": ([0, 1], [1.0, 2.0]),
    "three points": ([0, 1, 2], [1.0, 1.0, 9.0]),
    "all NaN": (list(range(30)), [NAN] * 30),
    "all infinite": (list(range(30)), [INF] * 30),
    "constant": (list(range(60)), [0.7] * 60),
    "zero": (list(range(60)), [0.0] * 60),
    "negative constant": (list(range(60)), [-4.0] * 60),
    "one step only": ([5] * 40, list(np.linspace(1, 0, 40))),
    "repeated steps": (sorted([*range(20), *range(20)]), list(np.linspace(3, 1, 40))),
    "unordered steps": (list(np.random.default_rng(0).permutation(50)), list(np.linspace(3, 1, 50))),
    "backward steps": (list(range(50, 0, -1)), list(np.linspace(3, 1, 50))),
    "two runs": ([*range(30), *range(30)], [*np.linspace(3, 1, 30), *np.linspace(3, 1.5, 30)]),
    "infinite in between": (list(range(30)), [1.0] * 10 + [INF, -INF, NAN] + [0.9] * 17),
    "huge": (list(range(30)), list(np.logspace(0, 308, 30))),
    "huge both ways": (list(range(30)), [1e308, -1e308] * 15),
    "tiny": (list(range(30)), list(np.logspace(0, -320, 30))),
    "denormal constant": (list(range(30)), [5e-324] * 30),
    "alternating sign": (list(range(40)), [1.0, -1.0] * 20),
    "huge steps": ([i * 10**15 for i in range(40)], list(np.linspace(3, 1, 40))),
    "negative steps": (list(range(-40, 0)), list(np.linspace(3, 1, 40))),
    "zeros then values": (list(range(40)), [0.0] * 20 + [1.0] * 20),
    "values then zeros": (list(range(40)), [1.0] * 20 + [0.0] * 20),
}
FACTS = {
    "losses": [{"fn": "cross_entropy", "phase": "train", "value_ratio": NAN}],
    "targets/train": {"kind": "class ids", "classes": 0, "histogram": {}},
    "loaders": [{"role": "train", "batches": 7}],
    "log": {"runs": None, "config": {"num_classes": "ten"}},
    "optimizers": [{"steps": 3}, {"steps": 3}],
}


def run_of(names: tuple[str, ...], case: str, facts: bool = False) -> Run:
    builder = RunBuilder("odd", "log")
    for name in names:
        builder.series(name, *ODD[case])
    for key, value in FACTS.items() if facts else ():
        builder.fact(key, value)
    return builder.build()


def check(module: ModuleType, run: Run) -> None:
    result = module.measure(run)
    assert isinstance(result, Sign | Missing)
    assert result.id == module.id
    if isinstance(result, Sign):
        assert result.text.endswith(".") and "\n" not in result.text
        assert result.severity == "info" or result.raised


@pytest.mark.parametrize("case", ODD)
def test_odd_series(case: str) -> None:
    runs = [run_of(("loss/train",), case), run_of(NAMES, case), run_of(NAMES, case, facts=True)]
    for name in NAMES:  # odd beside a healthy loss
        healthy = RunBuilder("odd", "log").series("loss/train", range(40), np.linspace(3, 1, 40))
        runs.append(healthy.series(name, *ODD[case]).build())
    for run in runs:
        for module in CURVES.values():
            check(module, run)


def test_every_catalogued_sign_is_there() -> None:
    assert {
        "loss-not-finite", "loss-diverged", "loss-spike", "loss-plateau", "loss-stuck", "loss-oscillating",
        "loss-falling-slowly", "still-improving", "validation-rising", "validation-gap", "memorising", "lr-collapsed",
        "gradients-zero", "gradients-spiking", "several-runs", "too-short", "early-instability", "late-noise-floor",
        "lr-constant", "lr-warmed-up", "loss-negative-unbounded", "loss-heads-wrong-way", "validation-at-chance",
        "training-at-chance", "spikes-periodic", "saw-tooth", "train-above-validation", "loss-at-floor",
        "validation-double-descent", "training-learned", "validation-learned", "validation-still-improving",
        "much-to-gain", "generalisation-gap", "lr-lowered", "no-learning-signal", "accuracy-at-chance",
        "validation-never-improves", "too-early", "metric-gap", "one-class-metrics", "settled-poorly",
        "gradients-running-away", "loss-scale-collapsed", "r2-at-zero", "score-not-rising",
        "adversary-won",
    } == set(CURVES)  # fmt: skip
