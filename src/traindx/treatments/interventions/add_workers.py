"""Loads the training data in several processes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "add-workers"
TITLE = "Load the data in several processes"
TESTS = ("slow-data-loading",)
SAFETY = "safe"
JUDGED_BY = "time"

MOST = 4


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    trained = [i for i, loader in enumerate(run.loaders) if loader.role == "train" and loader.workers is not None]
    if not trained:
        return Refusal("no DataLoader delivers the training data")
    own = int(run.loaders[trained[0]].workers or 0)
    wanted = max(min(MOST, os.cpu_count() or 1), 2 * own)
    if wanted <= own:
        return Refusal("this machine has no more CPU cores")
    return [Dose({"loaders": trained, "workers": wanted}, f"num_workers {own} -> {wanted}")]


class _Workers(Intervening):
    def __init__(self, loaders: Sequence[int], workers: int) -> None:
        super().__init__()
        self._loaders, self._workers = frozenset(loaders), workers

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        from torch.utils.data import IterableDataset

        if number not in self._loaders:
            return settings
        if isinstance(settings.get("dataset"), IterableDataset):
            self.note = "every worker would deliver the whole iterable data set"
            return settings
        self.acted += 1
        return {**settings, "num_workers": self._workers, "persistent_workers": True}


def begin(options: Mapping[str, Any]) -> Driver:
    return _Workers(options["loaders"], int(options["workers"]))
