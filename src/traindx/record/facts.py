"""All facts of a record (docs/record.md), each with its type: the schema that signs, causes and reports read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..record.experiments import Probe
from .course import (
    BackwardSite,
    ByHand,
    Clipping,
    Error,
    Framework,
    Hoard,
    Log,
    Looks,
    Modes,
    Planned,
    Precision,
    Regularization,
    Scheduler,
    Script,
    Stopped,
    Told,
)
from .data import (
    Attention,
    FeatureLeak,
    FirstLayer,
    Inputs,
    LabelOrder,
    Overlap,
    Padding,
    Repeats,
    ShiftRelation,
    Targets,
)
from .experiments import DeepLook, Dependence, Histograms, Memorised, Spike, Starts
from .forms import Reader, fields_of, read
from .graph import Graph, LossTerm, Operation
from .program import Loader, Model
from .ranks import Job, Rank, RankSamples, Replicas
from .values import mapping

_STORED_AS = {
    "training_data": "data/train",
    "evaluation_data": "data/eval",
    "training_targets": "targets/train",
    "evaluation_targets": "targets/eval",
    "other_rates": "memorise/other_rates",
}


class Facts:
    """Facts by their names in the record, or by a longer name. One is read when it is first asked for.

    What the record does not hold is false, empty or None.
    """

    exit: str
    error: Error
    stopped_at: Stopped
    started: float | None
    ended: float | None
    heartbeat: float | None
    script: Script
    framework: Framework
    planned: Planned
    coverage: Mapping[str, Looks]
    observers_off: Mapping[str, Any]
    not_visible: tuple[str, ...]
    devices: tuple[str, ...]
    rl: Any
    told: Told
    regularization: Regularization
    log: Log

    backwards: float | None
    forwards: float | None
    eval_passes: float | None
    eval_passes_empty: int
    eval_losses_read: int

    models: tuple[Model, ...]
    ops: tuple[Operation, ...]
    loaders: tuple[Loader, ...]
    schedulers: tuple[Scheduler, ...]
    by_hand: ByHand
    clipping: Clipping
    modes: Modes
    precision: Precision
    dropout: tuple[float, ...]
    hoard: Hoard
    graph: Graph
    loss_terms: tuple[LossTerm, ...]
    backward_sites: tuple[BackwardSite, ...]
    activation_histograms: tuple[Histograms, ...]

    training_data: Inputs
    evaluation_data: Inputs
    training_targets: Targets
    evaluation_targets: Targets
    first_layers: tuple[FirstLayer, ...]
    label_order: LabelOrder
    overlap: Overlap
    repeats: Repeats
    shift_relation: ShiftRelation
    attention: tuple[Attention, ...]
    feature_leak: FeatureLeak
    padding: Padding

    distributed: Job
    ranks: tuple[Rank, ...]
    rank_samples: RankSamples
    replicas: Replicas

    probe: Probe
    dependence: Dependence
    memorise: Memorised
    other_rates: tuple[Memorised, ...]
    starts: Starts
    deep: tuple[DeepLook, ...]
    spikes: tuple[Spike, ...]

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts as they stand in the record."""
        raise NotImplementedError

    if not TYPE_CHECKING:  # else every misspelt name would be an attribute

        def __getattr__(self, name: str) -> Any:
            known = readers().get(name)
            if known is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            key, reader = known
            self.__dict__[name] = value = reader(self.facts.get(key))
            return value

    def data(self, part: str) -> Inputs:
        """The inputs of `train` or `eval`."""
        return self.training_data if part == "train" else self.evaluation_data

    def targets(self, part: str) -> Targets:
        """The targets of `train` or `eval`."""
        return self.training_targets if part == "train" else self.evaluation_targets

    @cached_property
    def graphs(self) -> tuple[Graph, ...]:
        """The digests of the autograd graph, one for each line that calls backward."""
        names = sorted(key for key in self.facts if key == "graph" or key.startswith("graph/"))
        return tuple(read(Graph, found) for name in names if (found := mapping(self.facts.get(name))))


@cache
def readers() -> dict[str, tuple[str, Reader]]:
    """By name of a fact: its name in the record, and how it is read."""
    return {name: (_STORED_AS.get(name, name), reader) for name, _, reader in fields_of(Facts)}
