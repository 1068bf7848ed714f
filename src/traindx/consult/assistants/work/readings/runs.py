"""Lists the records in a folder, and the files that look like logs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .....record import RecordError, load

SKIPPED = {"node_modules", "site-packages", "__pycache__", "venv", "env"}
MOST_FILES = 50_000  # whose names are checked
MOST_RECORDS, MOST_LOGS = 40, 60
LOG_SUFFIXES = {".csv", ".tsv", ".jsonl", ".log", ".ipynb", ".wandb"}
LOG_NAMES = {"trainer_state.json", "history.json", "metrics.json", "training_log.txt", "log.txt"}


def read(folder: str) -> dict[str, Any]:
    records, logs, seen = [], [], 0
    for file in _files(Path(folder)):
        seen += 1
        if seen > MOST_FILES:
            break
        if file.suffix == ".tdx":
            records.append(file)
        elif file.suffix in LOG_SUFFIXES or file.name in LOG_NAMES or ".tfevents." in file.name:
            logs.append(file)
    records.sort(key=_time, reverse=True)
    logs.sort(key=_time, reverse=True)
    return {
        "folder": folder,
        "records": [_record(file) for file in records[:MOST_RECORDS]],
        "records_left_out": max(0, len(records) - MOST_RECORDS),
        "logs": [
            {"path": str(file), "bytes": file.stat().st_size, "modified": _moment(file)} for file in logs[:MOST_LOGS]
        ],
        "logs_left_out": max(0, len(logs) - MOST_LOGS),
        "searched_all": seen <= MOST_FILES,
    }


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
        "script": str(run.fact("script").get("path") or ""),
        "steps": int(run.steps),
        "exit": str(run.facts.get("exit") or ""),
        "last_loss": float(f"{losses.values[-1]:.6g}") if losses else None,
    }


def _time(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _moment(file: Path) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_time(file)))
