"""What a fix may know of a run. Every question is answered with a value or None: a log holds little."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..record import Run
from ._base import Site
from ._lines import assigned_name, is_statement

# Optimizers that divide by a running second moment: their step hardly depends on the gradient's size.
ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "lamb", "lion", "adafactor")


def number(value: Any) -> float | None:
    """A finite number, or None for whatever else a record may hold there."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def entries(run: Run, key: str) -> list[Mapping[str, Any]]:
    """The fact of that name where it is a list of records."""
    value = run.facts.get(key)
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def record(run: Run, key: str) -> Mapping[str, Any]:
    """The fact of that name where it is one record; empty otherwise."""
    value = run.facts.get(key)
    return value if isinstance(value, Mapping) else {}


def site_of(entry: Mapping[str, Any] | None) -> Site | None:
    """The source line that an entry names under `site`."""
    site = (entry or {}).get("site")
    line = number(site.get("line")) if isinstance(site, Mapping) else None
    return Site.of({**site, "line": int(line or 0)}) if isinstance(site, Mapping) else None


def whole_line(site: Site | None) -> str | None:
    """The text of the line, where it stands by itself and so may be repeated in a fix."""
    return site.text if site and is_statement(site.text) else None


def at(site: Site | None) -> str:
    """How a summary begins: with the line, where it is known."""
    return f"{site}: " if site else ""


def optimizer(run: Run) -> Mapping[str, Any]:
    return next(iter(entries(run, "optimizers")), {})


def groups(run: Run) -> list[Mapping[str, Any]]:
    held = optimizer(run).get("groups")
    return [group for group in held if isinstance(group, Mapping)] if isinstance(held, list) else []


def optimizer_class(run: Run) -> str | None:
    """The bare name of the optimizer's class, like "AdamW"."""
    name = optimizer(run).get("class")
    return name.rsplit(".", 1)[-1] if isinstance(name, str) and name else None


def optimizer_name(run: Run) -> str:
    """What the script calls its optimizer."""
    site = site_of(optimizer(run))
    return (assigned_name(site.text) if site else None) or "optimizer"


def in_script_words(run: Run, code: str) -> str:
    """An example that speaks of `model` and `optimizer`, with the names that the script gives them."""
    site = site_of(next(iter(entries(run, "models")), None))
    model = (assigned_name(site.text) if site else None) or "model"
    named = re.sub(r"\bmodel\b(?!\")", lambda _: model, code)  # not a key like state["model"]
    return re.sub(r"\boptimizer\b(?!\")", lambda _: optimizer_name(run), named)


def adaptive(run: Run) -> bool:
    name = (optimizer_class(run) or "").lower()
    return any(kind in name for kind in ADAPTIVE)


def setting(run: Run, *names: str) -> float | None:
    """A number from the optimizer's first group, or from the hyperparameters that a log carries."""
    config = record(run, "log").get("config")
    for source in (*groups(run)[:1], config if isinstance(config, Mapping) else {}):
        for name in names:
            value = number(source.get(name))
            if value is not None:
                return value
    return None


def rate(run: Run) -> float | None:
    """The rate as the script sets it: before any schedule, or else the highest one seen."""
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
    loaders = entries(run, "loaders")
    return next((loader for loader in loaders if loader.get("role") == "train"), loaders[0] if loaders else {})


def batch_size(run: Run) -> float | None:
    return (
        median(run, "batch_size") or number(train_loader(run).get("batch_size")) or setting(run, "batch_size") or None
    )


def steps_per_epoch(run: Run) -> int | None:
    batches = number(train_loader(run).get("batches"))
    if batches is None or batches < 1:
        return None
    per_step = [number(entry.get("per_step")) for entry in entries(run, "backward_sites")[:1]]
    accumulated = next((count for count in per_step if count and count > 1), 1.0)
    return max(1, round(batches / accumulated))


def modules(run: Run, *type_parts: str) -> list[Mapping[str, Any]]:
    """The modules of all models whose type contains one of the given parts."""
    found = []
    for model in entries(run, "models"):
        listed = model.get("modules")
        for module in listed if isinstance(listed, list) else []:
            if isinstance(module, Mapping) and any(part in str(module.get("type", "")) for part in type_parts):
                found.append(module)
    return found


def show(value: float) -> str:
    """A number for people: three significant digits, and no exponent where digits read better."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def nice(value: float) -> float:
    """The nearest of 1, 2, 3 or 5 times a power of ten: a proposal is a suggestion, not a measurement."""
    if not (value > 0 and math.isfinite(value)):
        return value
    exponent = math.floor(math.log10(value))
    candidates = [m * 10.0 ** (exponent + shift) for shift in (0, 1) for m in (1, 2, 3, 5)]
    nearest = min(candidates, key=lambda candidate: abs(math.log(candidate / value)))
    return float(f"{nearest:.1g}")


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(names: list[str], limit: int = 4) -> str:
    """Some names, and how many more."""
    shown = ", ".join(names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown
