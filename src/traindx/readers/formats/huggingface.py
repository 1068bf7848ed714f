"""Hugging Face `trainer_state.json`, alone or in a folder of checkpoints."""

from __future__ import annotations

from ...record import Run
from ..folders import matching_files
from ..options import Options, ReaderError
from ..rows.collector import table_of
from ..rows.runs import runs_from_rows
from ..source import Source
from .json_document import parse

KIND = "hf-trainer"
_CONFIG = (
    "max_steps", "num_train_epochs", "train_batch_size", "logging_steps", "eval_steps", "best_metric", "global_step",
)  # fmt: skip


def sniff(source: Source) -> float:
    if source.is_dir:
        return 0.95 if _states(source) else 0.0
    head = source.text_head.lstrip()
    return 0.95 if head.startswith("{") and '"log_history"' in head else 0.0


def read(source: Source, options: Options) -> list[Run]:
    if source.is_dir:
        return _read_latest(source, options)
    document = parse(source)
    history = document.get("log_history") if isinstance(document, dict) else None
    if not isinstance(history, list):
        raise ReaderError(f"{source.name} has no list of log entries under log_history")
    table = table_of(history)
    table.config = {key: document[key] for key in _CONFIG if document.get(key) is not None}
    return runs_from_rows(table, source.name, KIND, options)


def _states(folder: Source) -> list[Source]:
    return [
        Source(path) for path in matching_files(folder.path, "trainer_state.json", "checkpoint-*/trainer_state.json")
    ]


def _read_latest(folder: Source, options: Options) -> list[Run]:
    """Read the checkpoint with the longest history: each one repeats the history of those before it."""
    runs, refusals = [], []
    for state in _states(folder):
        try:
            runs.append(read(state, options))
        except ReaderError as refusal:  # for example a checkpoint that a crash left half written
            refusals.append(refusal)
    if not runs and refusals:
        raise refusals[0]
    return max(runs, key=lambda found: max((run.steps for run in found), default=0))
