"""`TraindxTracker` for Accelerate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from accelerate.tracking import GeneralTracker

from ..observe.watch import watch
from ._following import Following, Report, to_stderr


class TraindxTracker(GeneralTracker):
    """`Accelerator(log_with=TraindxTracker())`: records from `init_trackers` to `end_training` as `traindx run` does.

    `out` is the record's file (default: a new one in traindx-runs/), `report` gets the diagnosis as text.
    """

    name = "traindx"
    requires_logging_directory = False

    def __init__(self, out: str | Path | None = None, report: Report | None = to_stderr) -> None:
        self._following = Following("accelerate", out, report)
        super().__init__()

    @property
    def tracker(self) -> Any:
        return self._following.recording

    def start(self) -> None:
        self._following.begin(lambda path: watch(out=path))

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        self.start()  # versions before 1.0 do not call it

    def log(self, values: dict[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """The training itself is observed: nothing needs to be logged."""

    def finish(self) -> None:
        self._following.end()
