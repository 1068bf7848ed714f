"""What fixes name of a run: optimizer, learning rate, batches, losses, layers, and what the script calls them.

What is absent, malformed or not finite counts as missing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from ..record import Event, Run
from ..record.course import BackwardSite
from ..record.forms import absent
from ..record.graph import Operation
from ..record.program import Loader, LossCall, Module, Optimizer, Parameter
from ..record.site import Site
from ..record.values import number
from ..record.values import numbers as finite_numbers

LIBRARIES = {"site-packages", "dist-packages"}  # folders of installed code

FIRST_LOOK = 0.05  # by which a schedule may have lowered the learning rate before it was recorded

# ── the optimizer ────────────────────────────────────────────────────────────────────────────────


def optimizer(run: Run) -> Optimizer:
    return run.optimizers[0] if run.optimizers else absent(Optimizer)


def groups(run: Run) -> list[Mapping[str, Any]]:
    """The settings of the first optimizer's groups."""
    return [group.settings for group in run.groups if group.index == 0]


def optimizer_class(run: Run) -> str | None:
    """The bare name of the optimizer's class, like "AdamW"."""
    name = run.optimizers[0].class_name if run.optimizers else ""
    return name.rsplit(".", 1)[-1] or None


def adaptive(run: Run) -> bool:
    """Whether the first optimizer is adaptive: it divides gradients by their own size."""
    return bool(run.optimizers) and run.optimizers[0].adaptive


def setting(run: Run, *names: str) -> float | None:
    """A number from the optimizer's first group, or from the hyperparameters that a log carries."""
    sources = (*groups(run)[:1], run.log.config)
    found = (number(source.get(name)) for source in sources for name in names)
    return next((value for value in found if value is not None), None)


def betas(run: Run) -> tuple[float, float] | None:
    """Adam's two averaging factors."""
    found = finite_numbers(groups(run)[0].get("betas")) if groups(run) else []
    return (found[0], found[1]) if len(found) == 2 else None


def learning_rate(run: Run) -> float | None:
    """The learning rate as the script sets it: before any schedule, or else the highest one recorded."""
    top = float(max(values(run, "lr"), default=0.0))
    made_with = setting(run, "lr", "learning_rate")
    if made_with and top < made_with <= top * (1 + FIRST_LOOK):
        top = made_with
    return setting(run, "initial_lr") or (top if top > 0 else made_with)


# ── series ───────────────────────────────────────────────────────────────────────────────────────


def values(run: Run, name: str, before: int | None = None) -> Any:
    """The finite values of a series, up to a step where one is given."""
    series = run.series(name).finite
    return series.values if before is None else series.values[series.steps < before]


def median(run: Run, name: str, before: int | None = None) -> float | None:
    found = values(run, name, before)
    return float(np.median(found)) if len(found) else None


def worst(run: Run, quantity: str, above: float) -> list[tuple[str, float]]:
    """The layers whose last known value lies above a level, worst first."""
    table = run.layers(quantity)
    columns = {name: table.column(name) for name in table.layers}
    last = {name: float(found[-1]) for name, column in columns.items() if len(found := column[np.isfinite(column)])}
    return sorted(((name, value) for name, value in last.items() if value > above), key=lambda item: -item[1])


def first_event(run: Run, kind: str) -> Event | None:
    return next(iter(run.events_of(kind)), None)


# ── data ─────────────────────────────────────────────────────────────────────────────────────────


def loader(run: Run, role: str) -> Loader:
    """The first loader in that role; empty if there is none."""
    return next((found for found in run.loaders if found.role == role), absent(Loader))


def train_loader(run: Run) -> Loader:
    return loader(run, "train") or next(iter(run.loaders), absent(Loader))


def batch_size(run: Run) -> float | None:
    written = train_loader(run).batch_size
    return median(run, "batch_size") or written or setting(run, "batch_size") or None


def steps_per_epoch(run: Run) -> int | None:
    batches = train_loader(run).batches
    if batches is None or batches < 1:
        return None
    per_step = [entry.per_step for entry in run.backward_sites[:1]]
    accumulated = next((count for count in per_step if count and count > 1), 1.0)
    return max(1, round(batches / accumulated))


def python_list(sizes: Sequence[float]) -> str:
    """Numbers as a Python list, with four significant digits each."""
    return "[" + ", ".join(f"{value:.4g}" for value in sizes) + "]"


# ── loss and model ───────────────────────────────────────────────────────────────────────────────


def training_loss(run: Run, *names: str) -> LossCall:
    """The first loss call in training, of one of the named functions if names are given; empty if there is none."""
    named = (loss for loss in run.training_losses if not names or any(name in loss.fn.lower() for name in names))
    return next(named, absent(LossCall))


def backward_site(run: Run) -> BackwardSite:
    """The first line that called backward; empty if none is known."""
    return next(iter(run.backward_sites), absent(BackwardSite))


def operation(run: Run, *names: str) -> Operation:
    """The last risky or shape-changing call in the model whose name contains one of the names."""
    found = [call for call in run.ops if any(name in call.op.lower() for name in names)]
    return found[-1] if found else absent(Operation)


def model_site(run: Run) -> Site | None:
    """Where the user's code makes the (first) model. A plain `nn.Sequential` is known only by its class, in torch."""
    site = run.models[0].site if run.models else None
    return None if site is None or LIBRARIES.intersection(PurePath(site.file).parts) else site


def modules(run: Run, *type_parts: str) -> list[Module]:
    """The modules of all models whose type contains one of the given parts."""
    found = [module for model in run.models for module in model.modules]
    return [module for module in found if any(part in module.type for part in type_parts)]


def weights(run: Run) -> list[Parameter]:
    """The weight matrices and kernels, in order of execution."""
    return [param for param in run.parameters if param.kind == "weight"]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def optimizer_name(run: Run, index: int = 0) -> str:
    """What the script calls one of its optimizers."""
    return _assigned_at(run.optimizers[index].site if run.optimizers else None) or "optimizer"


def in_script_words(run: Run, code: str) -> str:
    """An example that uses `model` and `optimizer`, rewritten with the script's own names."""
    names = {"model": _assigned_at(model_site(run)) or "model", "optimizer": optimizer_name(run)}
    return re.sub(r"\b(model|optimizer)\b(?!\")", lambda found: names[found[1]], code)  # not a key like state["model"]


def _assigned_at(site: Site | None) -> str | None:
    return assigned_name(site.text) if site else None


def assigned_name(line: str) -> str | None:
    """The variable that a line assigns to, if the line is complete and the target is one plain or dotted name."""
    try:
        body = ast.parse(line.strip()).body
    except (SyntaxError, ValueError):
        return None
    targets = body[0].targets if len(body) == 1 and isinstance(body[0], ast.Assign) else []
    single = len(targets) == 1 and isinstance(targets[0], (ast.Name, ast.Attribute))
    return ast.unparse(targets[0]) if single else None
