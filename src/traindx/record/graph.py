"""What the autograd graph behind a loss tells, and the calls inside the model's forward."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from .forms import Entry
from .site import Site
from .values import number


class Softmax(Entry):
    dim: int | None
    shape: tuple[int, ...]
    log: bool
    in_loss: bool
    of_softmax: bool
    over_queries: bool  # attention weights sum to 1 over another axis than the one they are summed over


class Broadcast(Entry):
    """An operation near the loss that broadcasts its operands."""

    op: str
    shapes: tuple[tuple[int, ...], ...]
    out: tuple[int, ...] | None


class Permutation(Entry):
    """A view whose sizes are the old ones in another order."""

    site: Site | None
    started_as: tuple[int, ...]
    became: tuple[int, ...]
    batch_axis: int | None = None  # of a reshape: the axis to which a transpose had moved the batch


class Graph(Entry):
    ops: Mapping[str, Any]
    tail: tuple[str, ...]  # the operations nearest to the loss
    negated: bool
    loss_signs: Mapping[str, Any] | None
    divided_by: float | None
    linear_chain: float | None
    linear_chain_shapes: tuple[tuple[int, ...], ...]
    linear_maps: float
    nonlinearities: float | None
    softmaxes: tuple[Softmax, ...]
    broadcasts: tuple[Broadcast, ...]
    lowers_likelihood: bool
    errors_cancel: bool | None
    view_permutes: tuple[Permutation, ...]
    last_activation: str
    penalised: float
    custom: tuple[str, ...]

    @cached_property
    def counts(self) -> dict[str, float]:
        """The counts of operations by plain name: `addmm` for autograd's `AddmmBackward0`."""
        counts: dict[str, float] = {}
        for name, found in self.ops.items():
            plain = str(name).split("Backward")[0].lower()
            counts[plain] = counts.get(plain, 0.0) + max(number(found) or 0.0, 0.0)
        return counts


class Operation(Entry):
    """A risky or shape-changing call inside the model's forward."""

    op: str
    site: Site | None
    shapes_in: tuple[tuple[int, ...], ...]
    shape_out: tuple[int, ...] | None
    batch_axis: int | None  # the axis to which a transpose had moved the batch, if a reshape treats axis 0 as the batch


class LossTerm(Entry):
    """A term of a loss that is a sum."""

    name: str
    site: Site | None
    fn: str
    reduction: str
    weight: float | None
    penalty: bool
    divergence: bool
    backward: float  # which line that calls backward
