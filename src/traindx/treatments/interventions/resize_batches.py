"""Makes the loader's training batches larger or smaller, and compares the runs at equal samples seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from ...wording import num
from .._base import Dose, Intervening, Refusal

ID = "resize-batches"
TITLE = "Change the batch size"
TESTS = ("batch-too-small", "batch-too-large", "batchnorm-tiny-batch")
SAFETY = "costly"
JUDGED_BY = "loss"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    trained = [i for i, loader in enumerate(run.loaders) if loader.role == "train" and loader.batch_size]
    if not trained:
        return Refusal("no loader makes the training batches")
    old = run.loaders[trained[0]].batch_size or 1.0
    wanted = all_causes()[cause].fix(run, signs).sets.get("batch_size")
    if not isinstance(wanted, int):
        wanted = round(old * 16) if cause == "batchnorm-tiny-batch" else 0
    if wanted < 1 or wanted == old:
        return Refusal("the fix proposes no other batch size")
    text = f"batch size {num(old)} -> {wanted}, at equal samples seen"
    return [Dose({"loaders": trained, "batch_size": wanted}, text, steps=old / wanted)]


class _Resized(Intervening):
    def __init__(self, loaders: Sequence[int], size: int) -> None:
        super().__init__()
        self._loaders, self._size = frozenset(loaders), size

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        if number not in self._loaders or settings.get("batch_sampler") is not None:
            return settings
        if settings.get("batch_size", 1) is None:
            self.note = "the data set makes its batches itself"
            return settings
        self.acted += 1
        return {**settings, "batch_size": self._size}


def begin(options: Mapping[str, Any]) -> Driver:
    return _Resized(options["loaders"], int(options["batch_size"]))
