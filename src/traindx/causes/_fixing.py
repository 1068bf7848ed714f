"""Turns edits of the user's source into a fix; if the place is not certain, a fix is a sentence with a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ..edits import Edits, Project
from ..record import Run
from ._base import Fix, Safety, Site

_Framework = Literal["torch", "keras", "huggingface", "lightning", "unknown"]

_KERAS_METRICS = {"accuracy", "acc", "val_accuracy", "val_acc", "mae", "mse", "val_mae", "val_mse", "learning_rate"}
_LIGHTNING_COLUMNS = {"train_loss_step", "train_loss_epoch", "val_loss_epoch", "train/loss_step", "train/loss_epoch"}


def begin(run: Run) -> Edits | None:
    """Edits of the run's project, or None if its source is missing or has changed since the run."""
    project = Project.of(run)
    return Edits(project) if project is not None else None


def fixed(
    run: Run,
    summary: str,
    edits: Edits | None,
    pattern: str,
    *,
    near: Site | None = None,
    safety: Safety = "changes-result",
    words: Mapping[str, str] | None = None,
) -> Fix:
    """The fix as a patch; else the summary, the line nearest to the place and a pattern to adapt.

    `words` holds the pattern for other frameworks than PyTorch, by name, for runs that are read from a log.
    """
    patch = edits.patch() if edits is not None else None
    place = edits.place() if edits is not None and patch else None
    if patch and place:
        source, line = place
        code = "\n".join(row[1:] for row in patch.splitlines() if row.startswith("+") and not row.startswith("+++"))
        return Fix(summary, code, Site(str(source.path), line, source.line(line).strip()), safety, patch)
    if _framework(run) == "torch" and pattern:
        summary = f"{summary} The line to change is not known: adapt the pattern."
    # Without the line's text: the pattern does not replace that line.
    where = Site(near.file, near.line) if near else None
    return Fix(summary, _pattern_for(run, words or {}, pattern), where, safety)


def _framework(run: Run) -> _Framework:
    """The framework, by the log's format and by the names of its columns; observed runs are PyTorch's."""
    if run.kind == "observed" or "script" in run.facts:
        return "torch"
    if run.kind == "hf-trainer":
        return "huggingface"
    held = run.fact("log").get("columns")
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


def _pattern_for(run: Run, patterns: Mapping[str, str], torch: str) -> str:
    """The pattern for the run's framework; PyTorch's if the framework is PyTorch or unknown."""
    which = _framework(run)
    if which in ("torch", "unknown"):
        return torch
    return patterns.get(which, "")
