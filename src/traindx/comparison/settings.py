"""Finds the hyperparameters of a run in its record or log, in files beside it and in its command line."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ..readers.meaning.names import role_of
from ..record import Run
from ..record.values import mapping
from ._names import settings_in_name
from ._sidecars import printed_arguments, settings_beside
from ._values import canonical, flat, is_number, plain_value
from .types import Value

# Entries of a configuration that are results or progress, not settings.
RESULTS = {
    "best_metric", "best_model_checkpoint", "global_step", "epoch", "total_flos", "step", "runtime", "duration",
    "timestamp", "_wandb", "status", "loss", "accuracy",
}  # fmt: skip
_BOOKKEEPING = {"tensors", "elements", "maximize", "params"}


def settings_of(run: Run) -> dict[str, Value]:
    """Return the hyperparameters: as observed, else as configured, else from the command line."""
    found: dict[str, Value] = {}
    for source in (_observed(run), _configured(run), _arguments(run)):
        for name, value in source.items():
            found.setdefault(name, value)
    if "lr" not in found and (rates := run.series("lr").finite):
        found["lr"] = float(np.float32(rates.values.max()))  # float32, because logs print few digits
    return found


def named_settings(run: Run) -> dict[str, Value]:
    return settings_in_name(run.source)


def _observed(run: Run) -> dict[str, Value]:
    found: dict[str, Any] = {}
    for optimizer in run.optimizers:
        prefix = f"optimizer{optimizer.index}." if optimizer.index else ""
        found[f"{prefix}optimizer"] = optimizer.class_name or None
        settings = optimizer.groups[0].settings if optimizer.groups else {}
        found |= {f"{prefix}{key}": value for key, value in settings.items() if key not in _BOOKKEEPING}
    for scheduler in run.entries("schedulers"):
        found.setdefault("scheduler", scheduler.get("class"))
    for loader in run.training_loaders:
        found.setdefault("batch_size", loader.facts.get("batch_size"))
        found.setdefault("shuffled", loader.shuffled)
        found.setdefault("training samples", loader.facts.get("size"))
    for model in run.entries("models"):
        found.setdefault("model", model.get("class"))
        found.setdefault("parameters", model.get("elements"))
    for call in run.training_losses:
        found.setdefault("loss function", call.facts.get("fn"))
    found["autocast"] = run.fact("precision").get("autocast")
    if thresholds := run.series("clip/threshold").finite:
        found["clipping"] = float(np.median(thresholds.values))
    if script := run.fact("script"):
        found["script"] = PurePath(str(script.get("path"))).name
    plain = {name: plain_value(value) for name, value in found.items()}
    return {name: value for name, value in plain.items() if value is not None}


def _configured(run: Run) -> dict[str, Value]:
    if not (log := run.fact("log")):
        return {}
    path = Path(run.source)
    config = {**settings_beside(path), **flat(mapping(log.get("config")))}
    if not config and run.kind == "text":
        config = printed_arguments(path)
    return {name: value for name, value in config.items() if not _is_result(name, value)}


def _is_result(name: str, value: Value) -> bool:
    """Return whether this is a result, such as a final loss. The name of a loss function is a setting."""
    return name.lower() in RESULTS or (is_number(value) and role_of(name).kind in ("loss", "accuracy", "perplexity"))


def _arguments(run: Run) -> dict[str, Value]:
    """Return the settings in the script's command line: `--lr 0.1`, `--lr=0.1`, `lr=0.1`, `--flag`."""
    argv = run.fact("script").get("argv")
    words = [str(word) for word in argv] if isinstance(argv, list) else []
    found: dict[str, Value] = {}
    place = 0
    while place < len(words):
        word, following = words[place], words[place + 1] if place + 1 < len(words) else None
        place += 1
        name, equals, value = word.partition("=")
        if equals and name:
            taken: Any = value
        elif word.startswith("-") and plain_value(word) == word:
            taken = True
            if following is not None and not (following.startswith("-") and plain_value(following) == following):
                taken, place = following, place + 1
        else:
            name, taken = f"argument {place}", word
        plain = plain_value(taken)
        if plain is not None:
            found.setdefault(canonical(name), plain)
    return found
