"""`TraindxCallback` for the Trainer of Hugging Face, and for trainers made of it (TRL, Sentence Transformers)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from ..observe.watch import watch
from ._following import Following, Report, to_stderr


class TraindxCallback(TrainerCallback):
    """`Trainer(callbacks=[TraindxCallback()])`: records `train()` as `traindx run` does, and says what it found.

    `out` is the record's file (default: a new one in traindx-runs/), `report` gets the diagnosis as text.
    """

    def __init__(self, out: str | Path | None = None, report: Report | None = to_stderr) -> None:
        self._following = Following("huggingface", out, report)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._following.begin(lambda path: watch(out=path))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._following.end()
