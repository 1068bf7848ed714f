"""`TraindxCallback` for Lightning."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ..observe.watch import watch
from ._following import Following, Report, to_stderr

if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning import Callback
else:
    from lightning.pytorch import Callback


class TraindxCallback(Callback):
    """`Trainer(callbacks=[TraindxCallback()])`: records each `fit` as `traindx run` does, and says what it found.

    `out` is the record's file (default: a new one in traindx-runs/), `report` gets the diagnosis as text.
    """

    def __init__(self, out: str | Path | None = None, report: Report | None = to_stderr) -> None:
        self._following = Following("lightning", out, report)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._following.begin(lambda path: watch(out=path))

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._following.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._following.end(exception)
