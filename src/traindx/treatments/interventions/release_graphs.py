"""Releases the graphs that the script keeps alive: of losses after their backward, and of state carried between
steps."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...signs import Signs
from .._base import Dose, Intervening, Refusal

ID = "release-graphs"
TITLE = "Detach what is kept from step to step"
TESTS = ("graph-retained",)
SAFETY = "safe"
JUDGED_BY = "symptoms"


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    if not run.optimizers:
        return Refusal("no optimizer was seen, so it is unknown where a step ends")
    return [Dose({}, "losses and carried state detached at each step")]


class _Released(Intervening):
    def __init__(self) -> None:
        super().__init__()
        self._losses: list[Any] = []
        self._outputs: list[Any] = []  # references to the models' outputs in the step before
        self._fresh: list[Any] = []  # the same in this step

    def before_backward(self, loss: Any) -> None:
        self._losses.append(loss)

    def before_step(self, optimizer: Any) -> None:
        for loss in self._losses:
            if loss.grad_fn is not None and not loss._is_view():
                loss.detach_()
                self.acted += 1
        self._losses = []
        for leaf in [ref() for ref in self._outputs]:
            if leaf is not None and leaf.grad_fn is not None and not leaf._is_view():
                leaf.detach_()
                self.acted += 1
        self._outputs, self._fresh = self._fresh, []

    def forward_output(self, root: Any, output: Any) -> Any:
        self._fresh += [weakref.ref(leaf) for leaf in _with_graph(output)]
        return output

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        from torch.utils import _pytree as pytree

        old = {id(leaf) for ref in self._outputs if (leaf := ref()) is not None}

        def released(leaf: Any) -> Any:
            if id(leaf) not in old:
                return leaf
            self.acted += 1
            return leaf.detach()

        return pytree.tree_map(released, (args, kwargs)) if old else (args, kwargs)


def _with_graph(value: Any) -> list[Any]:
    import torch
    from torch.utils import _pytree as pytree

    return [x for x in pytree.tree_leaves(value) if isinstance(x, torch.Tensor) and x.grad_fn is not None]


def begin(options: Mapping[str, Any]) -> Driver:
    return _Released()
