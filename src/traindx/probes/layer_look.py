"""Measures the layers of a checkpoint on a batch, in an isolated process because loading a model runs its code."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..isolation import IsolationError, choose
from ..record import Run, load
from ..record.reading import save
from .launch import ProbeError, error_words, results_folder

SECONDS = 600.0


def look(wanted: Mapping[str, Any], in_place: bool = False) -> Run:
    """`wanted`: `kind` (gradients, activations), `model`, `checkpoint`, `data`, `trust_pickle`, `train_mode`, `loss`.

    Raises `ProbeError` with one line that says why nothing could be measured.
    """
    try:
        isolation = choose(str(wanted["model"]), in_place)
    except IsolationError as error:
        raise ProbeError(str(error)) from None
    folder = Path(tempfile.mkdtemp(dir=results_folder()))
    paths = [str(wanted[name]) for name in ("model", "checkpoint", "data") if wanted[name]]
    command = isolation.command("traindx.probes.layer_look", [json.dumps(wanted), str(folder)], [folder], paths)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise ProbeError(f"{wanted['model']} could not be loaded and run within {SECONDS:.0f} seconds") from None
    record, why_not = folder / "look.tdx", folder / "why_not"
    if why_not.exists():
        raise ProbeError(why_not.read_text(encoding="utf-8"))
    if not record.exists():
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise ProbeError(f"{wanted['model']} could not be measured: {lines[-1] if lines else 'no message'}")
    return load(record)


def main(words: list[str]) -> int:
    """Runs in the isolated process with `[WANTED, FOLDER]`. Writes `look.tdx`, or one line to `why_not`."""
    wanted, folder = json.loads(words[0]), Path(words[1])
    try:
        run = _looked(wanted)
    except ProbeError as error:
        (folder / "why_not").write_text(str(error), encoding="utf-8")
        return 0
    save(run, folder / "look.tdx")
    return 0


def _looked(wanted: Mapping[str, Any]) -> Run:
    from .layer_tables import activation_run, gradient_run, split
    from .loading import load_batch, load_model

    checkpoint = Path(wanted["checkpoint"]) if wanted["checkpoint"] else None
    model = load_model(wanted["model"], checkpoint, wanted["trust_pickle"])
    batch = load_batch(Path(wanted["data"]), wanted["trust_pickle"])
    try:
        model.train(wanted["train_mode"])
    except NotImplementedError:
        pass  # an exported program keeps the mode in which it was exported
    loss = loss_named(wanted["loss"], split(batch)[1]) if wanted["kind"] == "gradients" else None
    try:
        if loss is not None:
            return gradient_run(model, [batch], loss, wanted["model"])
        run: Run = activation_run(model, [batch], wanted["model"])
        return run
    except Exception as error:  # the user's own model and loss
        raise ProbeError(f"the model or the loss cannot take this batch: {error_words(error)}") from None


def loss_named(name: str | None, target: Any) -> Any:
    """A function of torch.nn.functional or `package.module:function`. Without a name, the usual one for the target."""
    import torch.nn.functional as F

    from .loading import named

    if name is None:
        if target is None:
            raise ProbeError("the batch has no target: add one (y), or name a --loss that takes the output alone")
        return F.mse_loss if target.is_floating_point() else F.cross_entropy
    if ":" in name:
        return named(name)
    if not hasattr(F, name):
        raise ProbeError(f"torch.nn.functional has no {name}")
    return getattr(F, name)


# ── how a quantity changes with depth: an exponential fitted over the layers ────────────────────

FEWEST = 3


@dataclass(frozen=True)
class DepthFit:
    """Each layer has `factor` times the value of the layer before it; `explained` is the fit's R²."""

    factor: float
    explained: float
    layers: int


def depth_fit(values: Sequence[float]) -> DepthFit | None:
    """Fit the values of the layers, ordered from input to output. None with fewer than three positive values."""
    numbers = np.array([value for value in values if np.isfinite(value) and value > 0])
    if len(numbers) < FEWEST:
        return None
    depth, logs = np.arange(len(numbers)), np.log(numbers)
    slope, start = np.polyfit(depth, logs, 1)
    left = float(np.sum((logs - (slope * depth + start)) ** 2))
    whole = float(np.sum((logs - logs.mean()) ** 2))
    return DepthFit(float(np.exp(slope)), 1.0 - left / whole if whole > 0 else 1.0, len(numbers))
