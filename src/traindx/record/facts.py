"""All facts of a record (docs/record.md), each with its type: the schema that signs, causes and reports read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, get_origin

from . import course, data, experiments, program
from .forms import Entry, Reader, fields_of, hints_of, read
from .graph import Graph, LossTerm, Operation
from .ranks import Job, Rank, RankSamples, Replicas
from .values import mapping
from .vocabulary import MOST_STEPS

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

    traindx: str
    python: str
    torch: str
    platform: str
    exit: str
    error: course.Error
    stopped_at: course.Stopped
    started: float | None
    ended: float | None
    heartbeat: float | None
    script: course.Script
    framework: course.Framework
    planned: course.Planned
    coverage: Mapping[str, course.Looks]
    observers_off: Mapping[str, Any]
    not_visible: tuple[str, ...]
    devices: tuple[str, ...]
    rl: Any
    told: course.Told
    regularization: course.Regularization
    log: course.Log

    backwards: float | None
    forwards: float | None
    eval_passes: float | None
    eval_passes_empty: int
    eval_losses_read: int

    models: tuple[program.Model, ...]
    ops: tuple[Operation, ...]
    loaders: tuple[program.Loader, ...]
    schedulers: tuple[course.Scheduler, ...]
    by_hand: course.ByHand
    clipping: course.Clipping
    modes: course.Modes
    precision: course.Precision
    dropout: tuple[float, ...]
    hoard: course.Hoard
    graph: Graph
    loss_terms: tuple[LossTerm, ...]
    backward_sites: tuple[course.BackwardSite, ...]
    activation_histograms: tuple[experiments.Histograms, ...]

    training_data: data.Inputs
    evaluation_data: data.Inputs
    training_targets: data.Targets
    evaluation_targets: data.Targets
    first_layers: tuple[data.FirstLayer, ...]
    label_order: data.LabelOrder
    overlap: data.Overlap
    repeats: data.Repeats
    worker_streams: tuple[data.WorkerStreams, ...]
    shift_relation: data.ShiftRelation
    attention: tuple[data.Attention, ...]
    feature_leak: data.FeatureLeak
    padding: data.Padding

    distributed: Job
    ranks: tuple[Rank, ...]
    rank_samples: RankSamples
    replicas: Replicas

    probe: experiments.Probe
    dependence: experiments.Dependence
    memorise: experiments.Memorised
    other_rates: tuple[experiments.Memorised, ...]
    starts: experiments.Starts
    deep: tuple[experiments.DeepLook, ...]
    spikes: tuple[experiments.Spike, ...]

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

    def inputs(self, part: str) -> data.Inputs:
        """The inputs of `train` or `eval`."""
        return self.training_data if part == "train" else self.evaluation_data

    def targets(self, part: str) -> data.Targets:
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


_COUNTS = ("steps", "backwards", "forwards", "eval_passes", "eval_passes_empty", "eval_losses_read")
_OTHERS: dict[str, type] = {
    **dict.fromkeys(("recorder", "pulse"), dict),
    **dict.fromkeys(("optimizers", "params", "losses"), list),
}


def known_kinds(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts without those of a wrong JSON type. Facts that this version does not know are kept."""
    return {key: value for key, value in facts.items() if value is None or _fits(key, value)}


def _fits(key: str, value: Any) -> bool:
    if key in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_STEPS
    return isinstance(value, _kinds().get("graph" if key.startswith("graph/") else key, object))


@cache
def _kinds() -> dict[str, type | tuple[type, ...]]:
    """The JSON type of each fact by its name in the record."""
    found: dict[str, type | tuple[type, ...]] = dict(_OTHERS)
    for name, hint in hints_of(Facts).items():
        kind = get_origin(hint) or hint
        if kind in (tuple, str) or kind is Mapping or (isinstance(kind, type) and issubclass(kind, Entry)):
            found[_STORED_AS.get(name, name)] = list if kind is tuple else str if kind is str else dict
        elif hint == float | None:
            found[name] = (int, float)
    return found
