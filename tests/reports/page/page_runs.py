"""Runs for the page's tests: sick, healthy, from a log, huge, and with names that try to be markup."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from traindx.diagnosis import Diagnosis, Effect, Treatment, TrialCurve, TrialReport, diagnose
from traindx.record import Run, RunBuilder

HOSTILE = "</script><!--<script>alert(1)</script>\"'&lt;\u2028{{content}}"
LAYERS = ("body.0.weight", "body.0.bias", "body.2.weight", "head.weight")
LOOKS = np.array([0, 1, 2, 4, 8, 16, 32, 64, 100, 140, 180, 199, 210, 230, 250, 270, 290])
MODULES = ("body.0", "body.1", "body.2", "head")


def sick() -> Run:
    """A learning rate raised tenfold at step 200: the loss climbs, spikes, and is NaN from step 300 on; units die."""
    steps, noise = np.arange(400), np.random.default_rng(3).normal(size=400)
    loss = 2.3 * np.exp(-steps / 60) + 0.35 + 0.05 * noise
    loss[200:300] = 0.42 * np.exp((steps[200:300] - 200) / 22) + 0.1 * np.abs(noise[200:300])
    loss[250] = 40.0
    loss[300:] = np.nan
    builder = observed(RunBuilder("runs/sick.tdx", "observed"), loss, worst=1.0)
    builder.series("update_ratio", LOOKS, np.geomspace(0.2, 0.9, len(LOOKS)))
    builder.series("grad_norm", LOOKS, np.where(LOOKS < 200, 2.0, 2.0 * np.exp((LOOKS - 200) / 15)))
    builder.series("lr", [0, 200], [0.1, 1.0]).event("lr-changed", 200, **{"from": 0.1, "to": 1.0})
    builder.event("loss-jump", 250, **{"from": 3.1, "to": 40.0}).event("nonfinite-loss", 300, value="nan")
    return builder.build()


def observed(builder: RunBuilder, loss: np.ndarray, names: tuple[str, ...] = LAYERS, worst: float = 0.2) -> RunBuilder:
    steps, looks = np.arange(len(loss)), LOOKS
    size = np.abs(np.random.default_rng(0).normal(1, 0.2, (len(looks), len(names))))
    dead = np.linspace(0, worst, len(looks))[:, None] * np.array([[0.2, 1.0, 0.5, 0.0]])
    builder.series("loss/train", steps, loss)
    builder.series("loss/validation", steps[50::50], np.minimum(np.nan_to_num(loss[50::50], nan=5.0), 4.0) + 0.2)
    builder.series("lr", [0, 200], [0.1, 0.01])
    builder.series("grad_norm", looks, size[:, 0]).series("clip/threshold", looks, np.ones(len(looks)))
    for name, value in (("data", 0.004), ("forward", 0.002), ("backward", 0.003), ("step", 0.001), ("total", 0.012)):
        builder.series(f"time/{name}", looks, value * (1 + 0.1 * size[:, 1]))
    builder.series("memory", looks, 2e8 + 1e7 * size[:, 1]).series("input_rms", looks, size[:, 2])
    for quantity in ("grad_norm", "grad_rms", "update_ratio", "weight_norm"):
        builder.layers(quantity, looks, names, size * 10.0 ** -np.arange(len(names)))
    for quantity, values in (("act_dead", dead), ("act_std", size), ("act_mean", size - 1), ("act_max", 3 * size)):
        builder.layers(quantity, looks, MODULES, values)
    bell = np.histogram(np.random.default_rng(4).normal(size=2000), 24)[0].tolist()
    shown = [{"name": name, "low": -1.5, "high": 2.5, "counts": bell} for name in MODULES[:3]]
    zero = [{**layer, "low": 0.0, "high": 0.0, "counts": [2000] + [0] * 23} for layer in shown]
    kept = [{"step": 0, "layers": shown}, {"step": 64, "layers": shown}, {"step": 290, "layers": zero}]
    builder.fact("activation_histograms", kept)
    builder.fact("started", 1.8e9).fact("ended", 1.8e9 + 60).fact("exit", "ok").fact("steps", len(loss))
    builder.fact("params", [{"name": name, "kind": name.split(".")[-1], "depth": i} for i, name in enumerate(names)])
    modules = [{"name": name, "type": "ReLU", "order": i} for i, name in enumerate(MODULES)]
    builder.fact("models", [{"name": "Net", "class": "Net", "modules": modules, "elements": 1234}])
    builder.fact("optimizers", [{"class": "SGD", "groups": [{"lr": 0.1}], "steps": len(loss)}])
    stats = {"samples": 512, "mean": 0.1, "std": 1.0, "min": -3.0, "max": 4.0, "feature_std": [1.0, 0.5, 100.0]}
    builder.fact("data/train", stats).fact("data/eval", stats)
    even = {"0": 34, "1": 33, "2": 33}
    return builder.fact("targets/train", {"kind": "class ids", "classes": 3, "histogram": even, "predictions": even})


def healthy() -> Run:
    steps = np.arange(600)
    noise = np.random.default_rng(1).normal(0, 0.01, len(steps))
    return observed(RunBuilder("runs/healthy.tdx", "observed"), 0.2 + 2.1 * np.exp(-steps / 100) + noise).build()


def log_only() -> Run:
    """An overfitting run as a log shows it: two columns by epoch."""
    epochs = np.arange(40)
    builder = RunBuilder("metrics.csv", "csv")
    builder.series("loss/train", epochs, 2.0 * np.exp(-epochs / 8))
    builder.series("loss/validation", epochs, 1.0 * np.exp(-epochs / 4) + 0.02 * epochs + 0.3)
    builder.fact("log", {"step_unit": "epoch", "columns": {"loss/train": "loss", "loss/validation": "val_loss"}})
    return builder.build()


def huge(points: int = 1_000_000) -> Run:
    """A million noisy losses with one spike of a single step."""
    steps = np.arange(points)
    loss = 0.5 + 2.0 * np.exp(-steps / (points / 8)) + 0.05 * np.random.default_rng(2).normal(size=points)
    loss[points * 7 // 10] = 9.0
    return RunBuilder("huge.csv", "csv").series("loss/train", steps, loss).build()


def hostile() -> Run:
    """Every name that a user can choose tries to leave its place."""
    builder = RunBuilder(f"runs/{HOSTILE}.tdx", "observed")
    observed(builder, 1 + np.exp(-np.arange(300) / 50), tuple(f"{HOSTILE}.{i}" for i in range(4)))
    builder.series(f"raw/{HOSTILE}", np.arange(300), np.arange(300.0))
    builder.fact("error", {"type": HOSTILE, "message": HOSTILE}).fact("log", {"config": {HOSTILE: HOSTILE}})
    return builder.build()


def treated(run: Run) -> Diagnosis:
    """The run's diagnosis after one trial: the control's loss stays, then is not finite; the treated one falls."""
    steps = range(0, 400, 4)
    control = TrialCurve("control", steps, [2.3] * 90 + [None] * 10)
    cured = TrialCurve("treated", steps, [2.3 * float(np.exp(-step / 80)) for step in steps])
    effect = Effect("training loss", float("nan"), 0.1, -0.95, (-0.97, -0.9))
    trial = TrialReport(
        "lower-lr", "Lower the learning rate", "lr-too-high", "cured", 3, effect, curves=(control, cured)
    )
    patch = "--- a/train.py\n+++ b/train.py\n@@ -3 +3 @@\n-lr = 1.0\n+lr = 0.1\n"
    treatment = Treatment("cured", "A lower rate cures it.", [trial], "lr-too-high", patch)
    return replace(diagnose(run), treatment=treatment)


EVERY = {"sick": sick, "healthy": healthy, "log": log_only, "huge": huge}
