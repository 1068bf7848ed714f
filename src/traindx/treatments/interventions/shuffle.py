"""Shuffles training data that a loader delivers in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._mixing import measure_of_mixing

ID = "shuffle"
TITLE = "Shuffle the training data"
TESTS = ("unshuffled-data",)
SAFETY = "changes-result"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    ordered = [i for i, loader in enumerate(run.loaders) if loader.role == "train" and loader.shuffled is not True]
    if not ordered:
        return Refusal("no loader delivers the training data in a fixed order")
    return [Dose({"loaders": ordered}, "DataLoader(…, shuffle=True)", judged_by=measure_of_mixing(run))]


class _Shuffled(Intervening):
    def __init__(self, loaders: Sequence[int]) -> None:
        super().__init__()
        self._loaders = frozenset(loaders)

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        from torch.utils.data import IterableDataset, SequentialSampler

        own = settings.get("sampler")
        if number not in self._loaders or settings.get("shuffle") or settings.get("batch_sampler") is not None:
            return settings
        if isinstance(settings.get("dataset"), IterableDataset) or not (own is None or type(own) is SequentialSampler):
            self.note = "the loader's own sampler or iterable data set decides the order"
            return settings
        self.acted += 1
        return {**{name: value for name, value in settings.items() if name != "sampler"}, "shuffle": True}


def begin(options: Mapping[str, Any]) -> Driver:
    return _Shuffled(options["loaders"])
