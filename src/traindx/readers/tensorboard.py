"""TensorBoard event files and folders of them, with several files of a run and sub-folders for train and validation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..record import Run
from ..record.types import FloatArray, IntArray
from ._columns import PHASES, role_of
from ._options import Options
from ._rows import Column, Table, runs_from_rows
from ._source import Source
from ._tfevents import Scalars, scalars_of

KIND = "tensorboard"
MOST_EVENT_FILES = 2000
# The first record of every event file says which version wrote it.
_MARK = b"brain.Event:"
STEP = "step"


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.9 if _event_files(source.path) else 0.0
    return 1.0 if _MARK in source.head[:64] else 0.0


def read(source: Source, options: Options) -> list[Run]:
    files = _event_files(source.path) if source.is_dir else [source.path]
    root = source.path if source.is_dir else source.path.parent
    runs: list[Run] = []
    for folder, members in _by_run(files, root).items():
        points = [p for path in members for p in _points(path, folder)]
        name = source.name if not source.is_dir or folder == root else str(folder)
        if points:
            runs += runs_from_rows(_table(points), name, KIND, options)
    return runs


def _event_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for path in sorted(folder.rglob("*tfevents*")):
        if path.is_file() and len(found) < MOST_EVENT_FILES and Source(path).head.find(_MARK, 0, 64) >= 0:
            found.append(path)
    return found


def _by_run(files: list[Path], root: Path) -> dict[Path, list[Path]]:
    """Files of one run: those of a folder, with its sub-folders for phases and for single curves of `add_scalars`."""
    folders = {path.parent for path in files}
    runs: dict[Path, list[Path]] = {}
    for path in files:
        folder = path.parent
        while folder != root and (_phase(folder) or folder.parent in folders):
            folder = folder.parent
        if folder == root and _phase(folder) and path.parent == root:
            folder = root.parent  # one file out of a `validation` folder: its phase still counts
        runs.setdefault(folder, []).append(path)
    return runs


def _phase(folder: Path) -> str:
    return PHASES.get(folder.name.lower(), "")


def _points(path: Path, run: Path) -> list[Scalars]:
    """The scalars of a file, under names that tell the sub-folder it lay in."""
    with path.open("rb") as file:
        found = list(scalars_of(file))
    below = path.parent.relative_to(run).as_posix()
    if below != ".":
        for points in found:
            points.tag = _placed(below, points.tag)
    return found


def _placed(below: str, tag: str) -> str:
    # `add_scalars("Loss", {"val": …})` writes the tag Loss into the folder Loss_val: the folder says it all.
    if below.startswith(tag.replace("/", "_")) and below != tag:
        return below
    phase = PHASES.get(below.split("/")[-1].lower(), "")
    return tag if phase and role_of(tag).phase == phase else f"{below}/{tag}"


def _table(points: list[Scalars]) -> Table:
    """Every event a row, in order of time."""
    wall = np.concatenate([p.wall for p in points])
    place = np.concatenate([p.order for p in points])
    in_time = np.all(np.diff(wall[np.argsort(place, kind="stable")]) >= 0)
    order = np.argsort(place, kind="stable") if in_time else np.lexsort((place, wall))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    steps = np.concatenate([p.steps for p in points])
    columns = {STEP: Column(np.arange(len(order), dtype=np.int64), steps[order].astype(np.float64))}
    by_tag: dict[str, list[tuple[IntArray, FloatArray]]] = {}
    at = 0
    for p in points:
        by_tag.setdefault(p.tag if p.tag != STEP else "step (tag)", []).append((rank[at : at + len(p.steps)], p.values))
        at += len(p.steps)
    for tag, parts in by_tag.items():
        rows = np.concatenate([r for r, _ in parts])
        sort = np.argsort(rows, kind="stable")
        columns[tag] = Column(rows[sort], np.concatenate([v for _, v in parts])[sort])
    return Table(columns, len(order))
