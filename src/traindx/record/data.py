"""What a record says of the data: inputs, targets, order, repetition and leaks."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .forms import Entry
from .site import Site


class TokenShift(Entry):
    """How far the tokens of evaluation lie from those of training."""

    distance: float | None
    by_chance: float | None
    unseen: float


class Numbers(Entry):
    """Statistics of the numbers in sampled batches."""

    shape: tuple[int, ...] | None
    dtype: str
    mean: float | None
    std: float | None
    min: float | None
    max: float | None
    nonfinite: int | None

    @property
    def root_mean_square(self) -> float | None:
        return None if self.mean is None or self.std is None else math.hypot(self.mean, self.std)


class Inputs(Numbers):
    samples: int | None
    features: int | None
    constant_features: int | None
    feature_mean: tuple[float, ...]
    feature_std: tuple[float, ...]
    ids: TokenShift


class Ranked(Entry):
    """How well scores rank rare samples above common ones."""

    share: float | None
    rarer: float | None


class Grouping(Entry):
    """The variance of rows' targets between and within batches."""

    batches: float | None
    rows: float | None
    between: float | None
    within: float | None


class Targets(Numbers):
    kind: str
    classes: float | None
    histogram: Mapping[str, float]
    predictions: Mapping[str, float]
    recent_predictions: Mapping[str, float]
    ranking: Ranked
    groups: Grouping


class FirstLayer(Entry):
    """The inputs of a layer that the data reach first, after any scaling inside the model."""

    rms: float
    feature_std: tuple[float, ...]


class LabelOrder(Entry):
    batches: float | None
    mean_majority: float | None
    expected_majority: float | None
    runs: float | None  # the longest run of one class


class Overlap(Entry):
    """Evaluation samples that training has too."""

    eval_samples: float | None
    shared: float | None
    train_samples_hashed: float | None
    train_distinct: float | None
    train_share_hashed: float | None


class Repeats(Entry):
    hashed: float | None
    distinct: float | None
    distinct_in_all: float | None
    batches: float | None
    continuous: bool


class ShiftRelation(Entry):
    """How the targets of token sequences relate to their inputs."""

    targets_are_next_inputs: bool | None
    targets_are_inputs: bool
    targets_in_other_order: bool


class Attention(Entry):
    module: str
    site: Site | None
    causal: bool | None
    masked: bool | None
    seen_future_weight: float | None


class FeatureLeak(Entry):
    feature: float | None
    correlation: float | None
    samples: float | None
    inwards: tuple[float, ...]
    beside: tuple[float, ...]


class Padding(Entry):
    id: float | None
    share: float | None
    counted: float | None
    site: Site | None


class WorkerStreams(Entry):
    """What the workers of one loader over an `IterableDataset` yielded in turn."""

    workers: int | None
    dataset: str
    turns: float
    equal: float
    distinct: float
