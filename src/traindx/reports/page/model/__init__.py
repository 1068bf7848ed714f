"""The report model: everything that the page shows of one run, as JSON values.

Each section is a function that returns None if the run has no data for it. Arrays are packed (`charts.py`); every text
is plain text, never markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import PurePath
from shlex import quote
from typing import Any

from ....diagnosis import Diagnosis
from ....facts.wiring import settings
from ....record import Run
from ....wording import counted, num
from ..._overview import Row, file_of
from ..._states import STATES, details
from ...json import picked
from .answer import causes, checks, commands, conditions, facts, symptoms, treatment, verdict
from .charts import curves, marks, timing
from .data import data
from .layers import layers

MOST_SETTINGS = 40


def about(run: Run, diagnosis: Diagnosis, name: str) -> dict[str, Any]:
    began, end = run.started, run.ended
    took = [_duration(end - began)] if began is not None and end is not None and end >= began else []
    return {
        "name": name or PurePath(run.source).name or run.source,
        "source": run.source,
        "details": [*details(diagnosis), *took],
        "steps": int(run.steps),
        "unit": run.step_unit,
        "running": run.kind in ("observed", "recorded") and began is not None and not run.exit,
        "heard": run.heartbeat,
        "started": None if began is None else _moment(began),
        "notes": [*diagnosis.notes],
    }


def setup(run: Run) -> list[list[str]]:
    """The settings as pairs of name and text."""
    return [[name, text] for name, text in _setup(run) if text][:MOST_SETTINGS]


def _setup(run: Run) -> Iterator[tuple[str, str]]:
    for optimizer in run.optimizers:
        shown = settings(optimizer.groups[0].settings) if optimizer.groups else ""
        more = f", {len(optimizer.groups)} groups" if len(optimizer.groups) > 1 else ""
        yield "Optimizer", f"{optimizer.class_name}: {shown}{more}"
    for scheduler in run.schedulers:
        yield "Schedule", scheduler.class_name
    for model in run.models:
        size = f", {counted(model.elements, 'parameter')}" if model.elements else ""
        yield "Model", f"{model.class_name}{size}{', compiled' if model.compiled else ''}"
    for call in run.losses:
        yield f"Loss in {'validation' if call.in_evaluation else 'training'}", f"{call.fn} ({call.site})"
    for loader in run.loaders:
        parts = [f"batches of {num(loader.batch_size)}" if loader.batch_size else ""]
        parts += [f"{num(loader.size)} samples" if loader.size else "", "shuffled" if loader.shuffled else ""]
        parts += [f"{num(loader.workers)} workers" if loader.workers else ""]
        yield f"Loader ({loader.role or 'role unknown'})", ", ".join([loader.dataset, *filter(None, parts)])
    for key, value in run.log.config.items():
        yield str(key), _plain(value)
    for key, value in run.log.columns.items():
        yield f"Read as {key}", _plain(value)
    for key in ("devices", "torch", "python", "traindx", "platform"):
        yield key.capitalize(), _plain(getattr(run, key))


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value))
    return num(value) if isinstance(value, float) else str(value)


def _moment(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{num(round(seconds, 1))} s"
    minutes, hours = seconds / 60, seconds / 3600
    return f"{minutes:.0f} min" if minutes < 120 else f"{hours:.1f} h"


FORMAT = 1


def report(run: Run, diagnosis: Diagnosis, name: str = "") -> dict[str, Any]:
    """Everything the page shows of one run; `name` distinguishes it from other runs on the page."""
    return {**summary(run, diagnosis, name), "curves": curves(run)}


def brief(row: Row, name: str) -> dict[str, Any]:
    """One line of the page's list, for a run that the page does not show in full."""
    told = row.brief.partition(". ")[0].rstrip(".")
    return {
        "verdict": {
            **picked(STATES[row.state], "word mark", state=row.state),
            "title": row.condition,
            "told": f"{told}." if told else "",
            "since": row.onset,
        },
        "about": {"name": name, "steps": row.steps},
        "command": f"traindx report {quote(file_of(row))}",
    }


def summary(run: Run, diagnosis: Diagnosis, name: str = "") -> dict[str, Any]:
    """The same without the curves, which a live page receives point by point."""
    return {
        "format": FORMAT,
        "about": about(run, diagnosis, name),
        "verdict": verdict(diagnosis),
        "conditions": conditions(run, diagnosis),
        "causes": causes(run, diagnosis),
        "symptoms": symptoms(run, diagnosis),
        "checks": checks(diagnosis),
        "next": commands(diagnosis),
        "marks": marks(run, diagnosis),
        "layers": layers(run),
        "timing": timing(run),
        "data": data(run),
        "facts": facts(diagnosis),
        "treatment": treatment(diagnosis),
        "setup": setup(run),
    }
