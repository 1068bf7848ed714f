"""Readings without a command of their own: functions that return plain JSON, most of it with a headline."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ....edits import patched_texts
from ....readers import ReaderError, principal, read, read_text
from ....record import RecordError, Run, Series, load
from ....record.types import FloatArray, IntArray
from ....reports.json import strict
from ....wording import counted
from . import Problem


def step(source: str | None, answers: dict[str, Any], skipped: list[str], finish: bool) -> dict[str, Any]:
    """One step of the interview: takes all answers so far, returns the next question or the conclusion."""
    from ... import AnswerError, answer, begin, conclude, next_question, skip  # here, because it loads far more

    try:
        state = begin(source)
        for name, said in answers.items():
            state = answer(state, name, said)
        for name in skipped:
            state = skip(state, name)
        question = None if finish else next_question(state)
        if question:
            return {"headline": question["ask"], "question": question, "conclusion": None}
        found = conclude(state)
        return {"headline": found["headline"], "question": None, "conclusion": found}
    except AnswerError as error:
        raise Problem(f"{error}. Correct that answer, or move the question to skipped.") from None


MOST_SERIES = 12
MOST_NAMES = 300
MOST_LAYERS = 80


def series(path: str, names: list[str], points: int) -> dict[str, Any]:
    run = _opened(path)
    available = list(run.series_names)
    unknown = [name for name in names if name not in available]
    if unknown:
        raise Problem(f"there is no series {unknown[0]!r} in {path}; it has {', '.join(available[:40]) or 'none'}")
    wanted = names or [name for name in available if name.startswith(("loss/", "lr"))] or available
    shown = [_told(run.series(name), points) for name in wanted[:MOST_SERIES]]
    lasts = [f"{one['name']} ends at {one['values'][-1]}" for one in shown if one["values"]]
    return {
        "headline": "; ".join([counted(run.steps, run.step_unit), *lasts[:3]]),
        "source": path,
        "kind": run.kind,
        "steps": int(run.steps),
        "step_unit": run.step_unit,
        "available": available[:MOST_NAMES],
        "series": shown,
    }


def _told(series: Series, points: int) -> dict[str, Any]:
    kept = _extremes(series.values, points)
    finite = series.finite
    return {
        "name": series.name,
        "recorded_points": len(series),
        "nonfinite_points": len(series) - len(finite),
        "minimum": _at(finite, np.argmin),
        "maximum": _at(finite, np.argmax),
        "steps": [int(step) for step in series.steps[kept]],
        "values": _listed(series.values[kept]),
    }


def _at(series: Series, which: Any) -> dict[str, Any] | None:
    if not series:
        return None
    place = int(which(series.values))
    return {"step": int(series.steps[place]), "value": _listed(series.values[place : place + 1])[0]}


def layers(path: str, quantity: str, layers: list[str], rows: int) -> dict[str, Any]:
    run = _opened(path)
    tables = [run.layers(name) for name in run.quantities]
    available = [{"quantity": t.quantity, "layers": len(t.layers), "looks": len(t)} for t in tables]
    if not available:
        raise Problem(f"{path} has no per-layer tables; only records of observed scripts have them: use the tool run")
    if not quantity:
        return {"headline": f"Quantities measured by layer: {len(tables)}", "source": path, "available": available}
    if quantity not in run.quantities:
        known = ", ".join(t.quantity for t in tables)
        raise Problem(f"there is no per-layer quantity {quantity!r} in {path}; it has {known}")
    table = run.layers(quantity)
    unknown = [name for name in layers if name not in table.layers]
    if unknown:
        raise Problem(f"there is no layer {unknown[0]!r}; the layers are {', '.join(table.layers[:60])}")
    shown = layers or list(table.layers)
    kept = np.unique(np.linspace(0, len(table) - 1, min(rows, len(table))).round().astype(int))
    return {
        "headline": f"{quantity} of {counted(len(table.layers), 'layer')} at {counted(len(kept), 'step')}",
        "source": path,
        "available": available,
        "quantity": quantity,
        "steps": [int(step) for step in table.steps[kept]],
        "layers": [{"name": name, "values": _listed(table.column(name)[kept])} for name in shown[:MOST_LAYERS]],
        "layers_left_out": max(0, len(shown) - MOST_LAYERS),
    }


def _opened(path: str) -> Run:
    runs = read(Path(path))
    if not runs:
        raise Problem(f"{path} contains no run")
    return principal(runs)


def _listed(values: FloatArray) -> list[Any]:
    """The numbers, with NaN and infinities as strings, as in a diagnosis."""
    return [strict(float(f"{value:.6g}")) for value in values]


def _extremes(values: FloatArray, points: int) -> IntArray:
    """The indices of the points to keep of a long curve: the lowest and the highest of each section, so that no spike
    is lost, the first NaN or infinity of each section, and both ends.
    """
    if len(values) <= points:
        return np.arange(len(values), dtype=np.int64)
    kept = {0, len(values) - 1}
    for stretch in np.array_split(np.arange(len(values)), max(1, (points - 2) // 3)):
        part = values[stretch]
        finite = np.isfinite(part)
        if not finite.all():
            kept.add(int(stretch[int(np.argmin(finite))]))
        if finite.any():
            kept.add(int(stretch[int(np.nanargmin(np.where(finite, part, np.inf)))]))
            kept.add(int(stretch[int(np.nanargmax(np.where(finite, part, -np.inf)))]))
    return np.array(sorted(kept), dtype=np.int64)


LARGEST_PATCH = 200_000  # characters


def patched(patch: str, folder: str) -> dict[str, Any]:
    """The new contents of files after a patch. It writes nothing: the server does, after a confirmation."""
    if len(patch) > LARGEST_PATCH:
        raise Problem(f"this patch has {len(patch)} characters; a fix of traindx has a few hundred")
    before: dict[Path, str] = {}  # digests of exactly the bytes that the patch was applied to

    def opened(path: Path) -> bytes:
        content = path.read_bytes()
        before[path] = hashlib.sha256(content).hexdigest()
        return content

    try:
        texts = patched_texts(patch, Path(folder), opened)
    except (ValueError, IndexError):
        raise Problem("this is not a unified diff with a/ and b/ prefixes; take fix.patch as it is") from None
    if not texts:
        raise Problem(
            f"the patch does not exactly match the files in {folder}. It is relative to the script's folder: name that "
            "folder. If the script has changed since it was run, run and diagnose it again"
        )
    return {"files": [{"path": str(path), "before": before[path], "text": text} for path, text in texts.items()]}


SKIPPED = {"node_modules", "site-packages", "__pycache__", "venv", "env"}
MOST_FILES = 50_000  # whose names are checked
MOST_RECORDS, MOST_LOGS = 40, 60
MOST_OPENED = 150  # files that are opened to see whether they hold losses, newest first
TEXTS = {".csv", ".tsv", ".jsonl", ".log", ".txt", ".out", ".err", ".stdout", ".stderr", ".ndjson"}
LOG_NAMES = {"trainer_state.json", "history.json", "metrics.json", "results.json", "stdout", "log"}
SURE = (".wandb",)  # formats of their own, which hold nothing else
HEAD, WHOLE = 256 << 10, 8 << 20  # bytes of a text that are read, and of a file that must be read as a whole
LOSSES = ("loss/train", "loss/validation", "accuracy/train", "accuracy/validation")


def list_runs(folder: str) -> dict[str, Any]:
    records, candidates, seen = [], [], 0
    for file in _files(Path(folder)):
        seen += 1
        if seen > MOST_FILES:
            break
        if file.suffix == ".tdx":
            records.append(file)
        elif file.suffix.lower() in {*TEXTS, ".ipynb", *SURE} or file.name in LOG_NAMES or ".tfevents." in file.name:
            candidates.append(file)
    records.sort(key=_time, reverse=True)
    candidates.sort(key=_time, reverse=True)
    logs = [told for file in candidates[:MOST_OPENED] if (told := _log(file)) is not None]
    left_out = max(0, len(logs) - MOST_LOGS) + max(0, len(candidates) - MOST_OPENED)
    newest = max([*records[:1], *(Path(log["path"]) for log in logs[:1])], key=_time, default=None)
    return {
        "headline": f"{counted(len(records), 'record')} and {counted(len(logs), 'log')}"
        + (f"; the newest is {newest}" if newest else "; run a script with the tool run to make a record"),
        "folder": folder,
        "records": [_record(file) for file in records[:MOST_RECORDS]],
        "records_left_out": max(0, len(records) - MOST_RECORDS),
        "logs": logs[:MOST_LOGS],
        "logs_left_out": left_out,
        "searched_all": seen <= MOST_FILES,
    }


def _log(file: Path) -> dict[str, Any] | None:
    """The file as a log; None if it holds no losses."""
    told: dict[str, Any] = {"path": str(file), "bytes": file.stat().st_size, "modified": _moment(file)}
    if file.suffix in SURE or ".tfevents." in file.name:
        return told
    try:
        run = principal(_runs(file, told["bytes"]))
    except (ReaderError, OSError, ValueError):
        return None
    return told if any(run.series(name) for name in LOSSES) else None


def _runs(file: Path, size: int) -> list[Run]:
    """The runs of a file, of a long text those of its beginning."""
    if file.suffix.lower() in TEXTS and size > HEAD:
        with file.open("rb") as opened:
            return read_text(opened.read(HEAD).decode("utf-8", "replace").rpartition("\n")[0], file.name)
    if size > WHOLE:
        raise ReaderError(f"{file} is too long to look into")
    return read(file)


def _files(folder: Path) -> Iterator[Path]:
    """Regular files below the folder, without hidden folders, environments and links."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        for name in sorted(names):
            file = Path(here, name)
            if not file.is_symlink() and file.is_file():
                yield file


def _record(file: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"path": str(file), "modified": _moment(file)}
    try:
        run = load(file)
    except RecordError as error:
        return {**told, "unreadable": str(error)}
    losses = run.series("loss/train").finite
    return {
        **told,
        "script": run.script.path,
        "steps": int(run.steps),
        "exit": run.exit,
        "last_loss": float(f"{losses.values[-1]:.6g}") if losses else None,
    }


def _time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _moment(file: Path) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_time(file)))
