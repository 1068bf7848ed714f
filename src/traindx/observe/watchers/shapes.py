"""Views that reorder sizes, wherever the script makes them, and dropout that is no module."""

from __future__ import annotations

from typing import Any

from ..hook_points.hooks import SHAPES
from ..session import Session

FIRST_STEPS = 3
MAX_VIEWS = 16


class Watcher:
    name = "shapes"
    AFTER = ()

    def __init__(self, session: Session) -> None:
        self.session = session
        self._views: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._dropout: set[float] = set()
        self._listening = False

    def optimizer_made(self, optimizer: Any, site: dict[str, Any] | None) -> None:
        self._listen()

    def loader_made(self, loader: Any, site: dict[str, Any] | None) -> None:
        self._listen()

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        self._listen()

    def _listen(self) -> None:
        """Training begins: watch reshapes until the first steps are over."""
        if not self._listening and self.session.step < FIRST_STEPS:
            self._listening = True
            self.session.hooks.bring_back(SHAPES)

    def reshaped(
        self, before: tuple[int, ...], after: tuple[int, ...], site: dict[str, Any] | None, batch_axis: int | None
    ) -> None:
        key = (before, after, site["line"] if site else None)
        if key not in self._views and len(self._views) < MAX_VIEWS:
            self._views[key] = {
                "op": "view",
                "site": site,
                "shapes_in": [list(before)],
                "shape_out": list(after),
                "args": [],
                "batch_axis": batch_axis,  # where a transpose had put the batch, if the new shape looks for it first
            }

    def dropout_applied(self, p: float, training: bool) -> None:
        self._dropout.add(float(p))

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        if self.session.step >= FIRST_STEPS:
            self.session.hooks.withdraw(SHAPES)

    def flush(self) -> None:
        if self._views:
            self.session.writer.fact("ops", list(self._views.values()))
        if self._dropout:
            self.session.writer.fact("dropout", sorted(self._dropout))
