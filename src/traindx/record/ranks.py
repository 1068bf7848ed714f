"""What a record says of a job with several ranks."""

from __future__ import annotations

from .course import Error, Stopped
from .forms import Entry
from .site import Site


class Wrapper(Entry):
    """DistributedDataParallel."""

    class_name: str
    site: Site | None


class Averaging(Entry):
    """Gradients that the script all-reduces itself."""

    never: tuple[str, ...]


class Job(Entry):
    world_size: float | None
    wrapper: Wrapper
    through: float
    past: float
    past_site: Site | None
    averaged: Averaging
    weights_averaged: bool


class Rank(Entry):
    """How one rank fared, and how long its steps take."""

    rank: int | None
    exit: str
    error: Error
    stopped_at: Stopped
    steps: float
    timed: float
    before: float
    forward: float
    total: float


class RankSamples(Entry):
    ranks: float
    steps: float
    equal: float


class Replicas(Entry):
    """Whether ranks hold equal weights."""

    ranks: tuple[float, ...]
    checks: float | None
    parameters: float | None
    last_check: float
    distance: float
    differing: float
    first_difference: float | None
    last_equal: int | None
    names: tuple[str, ...]
