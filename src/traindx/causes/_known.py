"""Settings that a fix names: optimizer, learning rate, batch size, and what the script calls them. None if unknown."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..record import Run
from ..record.values import entries, mapping, number


def optimizer(run: Run) -> Mapping[str, Any]:
    return run.optimizers[0].facts if run.optimizers else {}


def groups(run: Run) -> list[Mapping[str, Any]]:
    """The settings of the first optimizer's groups."""
    return [group.settings for group in run.groups if group.index == 0]


def optimizer_class(run: Run) -> str | None:
    """The bare name of the optimizer's class, like "AdamW"."""
    name = run.optimizers[0].class_name if run.optimizers else ""
    return name.rsplit(".", 1)[-1] or None


def optimizer_name(run: Run) -> str:
    """What the script calls its optimizer."""
    site = run.optimizers[0].site if run.optimizers else None
    return (assigned_name(site.text) if site else None) or "optimizer"


def assigned_name(line: str) -> str | None:
    """The variable that a line assigns to, if the line is complete and the target is one plain or dotted name."""
    try:
        body = ast.parse(line.strip()).body
    except (SyntaxError, ValueError):
        return None
    targets = body[0].targets if len(body) == 1 and isinstance(body[0], ast.Assign) else []
    if len(targets) == 1 and isinstance(targets[0], (ast.Name, ast.Attribute)):
        return ast.unparse(targets[0])
    return None


def in_script_words(run: Run, code: str) -> str:
    """An example that uses `model` and `optimizer`, rewritten with the script's own names."""
    site = run.models[0].site if run.models else None
    model = (assigned_name(site.text) if site else None) or "model"
    named = re.sub(r"\bmodel\b(?!\")", lambda _: model, code)  # not a key like state["model"]
    return re.sub(r"\boptimizer\b(?!\")", lambda _: optimizer_name(run), named)


def adaptive(run: Run) -> bool:
    """Whether the first optimizer is adaptive: it divides gradients by their own size."""
    return bool(run.optimizers) and run.optimizers[0].adaptive


def setting(run: Run, *names: str) -> float | None:
    """A number from the optimizer's first group, or from the hyperparameters that a log carries."""
    for source in (*groups(run)[:1], mapping(run.fact("log").get("config"))):
        for name in names:
            value = number(source.get(name))
            if value is not None:
                return value
    return None


def learning_rate(run: Run) -> float | None:
    """The learning rate as the script sets it: before any schedule, or else the highest one recorded."""
    written = setting(run, "initial_lr")
    seen = values(run, "lr")
    seen = seen[seen > 0]
    return written or (float(seen.max()) if len(seen) else setting(run, "lr", "learning_rate"))


def values(run: Run, name: str, before: int | None = None) -> Any:
    """The finite values of a series, up to a step where one is given."""
    series = run.series(name).finite
    return series.values if before is None else series.values[series.steps < before]


def quantile(run: Run, name: str, share: float, before: int | None = None) -> float | None:
    found = values(run, name, before)
    return float(np.quantile(found, share)) if len(found) else None


def median(run: Run, name: str, before: int | None = None) -> float | None:
    return quantile(run, name, 0.5, before)


def train_loader(run: Run) -> Mapping[str, Any]:
    loaders = run.entries("loaders")
    return next((loader for loader in loaders if loader.get("role") == "train"), loaders[0] if loaders else {})


def batch_size(run: Run) -> float | None:
    return (
        median(run, "batch_size") or number(train_loader(run).get("batch_size")) or setting(run, "batch_size") or None
    )


def steps_per_epoch(run: Run) -> int | None:
    batches = number(train_loader(run).get("batches"))
    if batches is None or batches < 1:
        return None
    per_step = [number(entry.get("per_step")) for entry in run.entries("backward_sites")[:1]]
    accumulated = next((count for count in per_step if count and count > 1), 1.0)
    return max(1, round(batches / accumulated))


def modules(run: Run, *type_parts: str) -> list[Mapping[str, Any]]:
    """The modules of all models whose type contains one of the given parts."""
    found = [module for model in run.entries("models") for module in entries(model.get("modules"))]
    return [module for module in found if any(part in str(module.get("type", "")) for part in type_parts)]
