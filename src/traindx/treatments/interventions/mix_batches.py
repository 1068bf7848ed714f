"""Draws each training batch at random from the samples seen so far, for scripts without a loader.

Samples are kept when they enter the model, and their targets when they enter the loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal
from ._arguments import loss_pair, trains, with_pair
from ._mixing import measure_of_mixing

ID = "mix-batches"
TITLE = "Draw the batches at random from the samples seen so far"
TESTS = ("unshuffled-data",)
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.9  # the first batches are not mixed

MOST_ROWS = 20_000  # the oldest of more samples are dropped


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if any(loader.role == "train" for loader in run.loaders):
        return []  # the loader itself can shuffle
    if len(run.models) != 1 or not run.training_losses:
        return Refusal("samples and targets do not go through exactly one model and a standard loss function")
    return [Dose({"seed": 0}, "batches drawn at random from the samples so far", judged_by=measure_of_mixing(run))]


class _Mixed(Intervening):
    samples = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        import torch

        self._stream = torch.Generator().manual_seed(seed)
        self._inputs: list[Any] = []
        self._targets: list[Any] = []
        self._place = 0
        self._coming: Any = None  # the script's inputs of this step, until their targets arrive
        self._drawn: list[int] | None = None

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        tensors = [i for i, value in enumerate(args) if isinstance(value, torch.Tensor)]
        self._coming = self._drawn = None
        if not (trains(root) and root.training and torch.is_grad_enabled()) or tensors != [0] or args[0].dim() < 2:
            return args, kwargs
        self._coming = args[0].detach()
        if len(self._inputs) < len(args[0]):
            return args, kwargs
        self._drawn = torch.randint(len(self._inputs), (len(args[0]),), generator=self._stream).tolist()
        return (torch.stack([self._inputs[i] for i in self._drawn]), *args[1:]), kwargs

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        import torch

        given, target = loss_pair(args, kwargs)
        coming, drawn = self._coming, self._drawn
        self._coming = self._drawn = None
        rows = isinstance(target, torch.Tensor) and target.dim() > 0 and coming is not None
        if not rows or len(target) != len(coming):
            if drawn is not None:
                raise RuntimeError("the batch does not have one target per sample")
            return args, kwargs
        mixed = torch.stack([self._targets[i] for i in drawn]) if drawn is not None else target
        for row, answer in zip(coming, target.detach(), strict=True):
            self._keep(row.clone(), answer.clone())
        self.acted += drawn is not None
        return with_pair(args, kwargs, given, mixed)

    def _keep(self, row: Any, answer: Any) -> None:
        if len(self._inputs) < MOST_ROWS:
            self._inputs.append(row)
            self._targets.append(answer)
            return
        self._inputs[self._place], self._targets[self._place] = row, answer
        self._place = (self._place + 1) % MOST_ROWS


def begin(options: Mapping[str, Any]) -> Driver:
    return _Mixed(int(options["seed"]))
