"""Which framework wrote a log, so that a fix speaks its words: a Keras user cannot use PyTorch code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ..record import Run
from ._known import record

Framework = Literal["torch", "keras", "huggingface", "lightning", "unknown"]

_KERAS_METRICS = {"accuracy", "acc", "val_accuracy", "val_acc", "mae", "mse", "val_mae", "val_mse", "learning_rate"}
_LIGHTNING_COLUMNS = {"train_loss_step", "train_loss_epoch", "val_loss_epoch", "train/loss_step", "train/loss_epoch"}


def framework(run: Run) -> Framework:
    """The framework, by the log's format and by the names of its columns; observed runs are PyTorch's."""
    if run.kind == "observed" or "script" in run.facts:
        return "torch"
    if run.kind == "hf-trainer":
        return "huggingface"
    held = record(run, "log").get("columns")
    columns = {str(column) for column in held.values()} if isinstance(held, Mapping) else set()
    columns |= {name.removeprefix("raw/") for name in run.series_names if name.startswith("raw/")}
    folders = [part.lower() for part in Path(run.source).parts]
    if columns & _LIGHTNING_COLUMNS or any("lightning" in part for part in folders):
        return "lightning"
    if "eval_loss" in columns or {"train/loss", "eval/loss"} <= columns:
        return "huggingface"
    if "loss" in columns and ("val_loss" in columns or columns & _KERAS_METRICS):
        return "keras"
    if any("keras" in part for part in folders):
        return "keras"
    return "unknown"


def pattern_for(run: Run, patterns: Mapping[str, str], torch: str) -> str:
    """The pattern in the words of the run's framework; PyTorch's for PyTorch and where the framework is unknown."""
    which = framework(run)
    if which in ("torch", "unknown"):
        return torch
    return patterns.get(which, "")
