"""What probes and checks found out by experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .forms import Entry
from .values import text


class Floor(Entry):
    """The lowest loss that is possible for a batch, and that of the best constant answer."""

    floor: float
    trivial: float


class Probe(Entry):
    """A run that a probe or a treatment made."""

    stopped_by: str  # which limit ended it; '' if none did
    updates: int
    seconds: float
    acted: int | None  # how often a change took effect
    note: str
    pinned: str  # what kept feeding the same batch
    not_pinned: str
    factor: float
    floor: Floor
    optimizers: int
    own_rate: float | None
    files: tuple[str, ...]
    data: tuple[str, ...]


class Dependence(Entry):
    """What the output depends on, in eval mode."""

    depends_on_input: bool | None
    mixes_samples: bool | None
    mixed_pair: tuple[int, ...]
    sees_future: bool | None
    future_position: int | None
    next_token: bool
    why_not: Mapping[str, Any]

    def reason(self, question: str) -> str:
        """Why a question was not answered; '' where that is not known."""
        return text(self.why_not.get(question)) or text(self.why_not.get("all"))


class Memorised(Entry):
    """What became of a loop that trained on one batch only."""

    result: str
    steps: int
    first: float | None
    last: float | None
    floor: float | None
    trivial: float | None
    why_not: str
    factor: float


class Starts(Entry):
    """Whether repeated starts agree."""

    result: str
    steps: int
    differs_at: int | None
    why_not: str


class AlongStep(Entry):
    """The loss along a step, computed anew."""

    flat: bool
    made_worse: bool


class ModeGap(Entry):
    train: float | None
    train_spread: float | None
    eval: float | None


class Curvature(Entry):
    top: float | None
    bottom: float | None
    rate: float | None


class DeepLook(Entry):
    step: int | None
    along_step: AlongStep
    mode_gap: ModeGap
    curvature: Curvature


class Spike(Entry):
    """A spike replayed on the weights one step earlier."""

    step: int | None
    loss: float
    earlier_weights: float
    others: float
    verdict: str


class Histogram(Entry):
    """Of one layer's outputs."""

    name: str
    low: float | None
    high: float | None
    counts: tuple[float, ...]


class Histograms(Entry):
    step: int | None
    layers: tuple[Histogram, ...]
