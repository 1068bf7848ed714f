"""TensorBoard event files, and folders with several files per run or sub-folders for train and validation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...record import Run
from ..folders import MARKED, marked_files
from ..meaning.assembly import LogFacts, assemble
from ..meaning.names import PHASES, NamedSeries, role_of
from ..options import Options
from ..rows.runs import runs_from_rows, tidy
from ..rows.table import Column, Table
from ..source import Source
from ._tfevents import Scalars, scalars_of

KIND = "tensorboard"
# The first record of every event file names its version.
_MARK = b"brain.Event:"
_NAMES = "**/*tfevents*"
STEP = "step"


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.9 if any(marked_files(source.path, _NAMES, _MARK)) else 0.0
    return 1.0 if _MARK in source.head[:MARKED] else 0.0


def read(source: Source, options: Options) -> list[Run]:
    files = list(marked_files(source.path, _NAMES, _MARK)) if source.is_dir else [source.path]
    root = source.path if source.is_dir else source.path.parent
    runs: list[Run] = []
    for folder, members in _by_run(files, root).items():
        name = source.name if not source.is_dir or folder == root else str(folder)
        runs += _read_run(folder, members, name, options)
    return runs


def _read_run(folder: Path, files: list[Path], name: str, options: Options) -> list[Run]:
    """Read the runs of a folder. It usually holds one; if a step goes back, its rows in order of time show the runs."""
    curves = _curves([_points(path, folder) for path in files])
    if not curves:
        return []
    losses = [c for c in curves.values() if c.role.kind == "loss" and c.role.phase in ("train", "")]
    if any(np.any(np.diff(curve.steps) < 0) for curve in losses):
        del curves, losses
        table = _table([p for path in files for p in _points(path, folder, with_wall=True)])
        return runs_from_rows(table, name, KIND, options)
    for tag in curves:
        curves[tag] = tidy(curves[tag])
    return [assemble(curves, name, KIND, options, LogFacts(columns={"step": "step"}))]


def _curves(files: list[list[Scalars]]) -> dict[str, NamedSeries]:
    parts: dict[str, list[Scalars]] = {}
    for points in files:
        for p in points:
            parts.setdefault(p.tag, []).append(p)
    return {
        tag: NamedSeries(tag, np.concatenate([p.steps for p in found]), np.concatenate([p.values for p in found]))
        if len(found) > 1
        else NamedSeries(tag, found[0].steps, found[0].values)
        for tag, found in parts.items()
    }


def _by_run(files: list[Path], root: Path) -> dict[Path, list[Path]]:
    """Group the files by run: those of a folder and of its sub-folders for phases and curves of `add_scalars`."""
    folders = {path.parent for path in files}
    runs: dict[Path, list[Path]] = {}
    for path in files:
        folder = path.parent
        while folder != root and (_phase(folder) or folder.parent in folders):
            folder = folder.parent
        if folder == root and _phase(folder) and path.parent == root:
            folder = root.parent  # the log is a `validation` folder or a file in it: its name still gives the phase
        runs.setdefault(folder, []).append(path)
    return runs


def _phase(folder: Path) -> str:
    return PHASES.get(folder.name.lower(), "")


def _points(path: Path, run: Path, with_wall: bool = False) -> list[Scalars]:
    """Return the scalars of a file, under names that include its sub-folder."""
    try:
        with path.open("rb") as file:
            found = list(scalars_of(file, with_wall))
    except OSError:
        return []  # one unreadable file: the other files of the run are still read
    below = path.parent.relative_to(run).as_posix()
    if below != ".":
        for points in found:
            points.tag = _placed(below, points.tag)
    return found


def _placed(below: str, tag: str) -> str:
    # `add_scalars("Loss", {"val": …})` writes the tag Loss into the folder Loss_val: the folder is the full name.
    if below.startswith(tag.replace("/", "_")) and below != tag:
        return below
    phase = PHASES.get(below.split("/")[-1].lower(), "")
    return tag if phase and role_of(tag).phase else f"{below}/{tag}"


def _table(points: list[Scalars]) -> Table:
    """Make a table with one row per event, in order of time."""
    wall = np.concatenate([p.wall for p in points if p.wall is not None])
    order = np.lexsort((np.concatenate([p.order for p in points]), wall))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    steps = np.concatenate([p.steps for p in points])
    table = Table({STEP: Column(np.arange(len(order)), steps[order].astype(np.float64))}, len(order))
    places = np.split(rank, np.cumsum([len(p.steps) for p in points])[:-1])
    for tag in dict.fromkeys(p.tag for p in points):
        rows = np.concatenate([place for place, p in zip(places, points, strict=True) if p.tag == tag])
        values = np.concatenate([p.values for p in points if p.tag == tag])
        sort = np.argsort(rows, kind="stable")
        table.columns[f"{tag} (tag)" if tag == STEP else tag] = Column(rows[sort], values[sort])
    return table
