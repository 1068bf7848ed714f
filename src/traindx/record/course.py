"""What a record says of how a run went: its plan, modes, precision, looks, and how it ended."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .forms import Entry
from .site import Site


class Script(Entry):
    path: str
    argv: tuple[str, ...]
    module: bool

    @property
    def called(self) -> str:
        """How Python is called on it, without arguments."""
        return ("-m " if self.module else "") + shlex.quote(self.path)


class Framework(Entry):
    """Whose code runs the training loop, where it is not the script's own."""

    name: str


class Error(Entry):
    """The uncaught exception, or the signal of a death inside native code."""

    type: str
    message: str
    site: Site | None
    in_training: bool | None

    @property
    def line(self) -> str:
        """The error with its place, in one line."""
        place = f" ({Path(self.site.file).name}:{self.site.line})" if self.site else ""
        return f"{self.type or 'an error'}: {self.message}{place}"


class Stopped(Entry):
    """Where SIGTERM met the process."""

    site: Site | None
    inside: str


class Planned(Entry):
    steps: float | None


class Looks(Entry):
    """The looks of one kind, and how far they reach."""

    last: float | None
    until: float | None


class BackwardSite(Entry):
    """One line that calls backward."""

    site: Site | None
    count: int | None
    per_step: float | None
    retain_graph: bool
    functional: bool


class ByHand(Entry):
    """Updates that the script makes without an optimizer."""

    steps_heard: float
    grads_kept: float


class Scheduler(Entry):
    class_name: str
    site: Site | None
    steps: float | None
    settings: Mapping[str, Any]


class Clipping(Entry):
    """The first clipping call."""

    kind: str
    threshold: float | None
    site: Site | None

    @property
    def by_value(self) -> bool:
        return self.kind == "value"


class Modes(Entry):
    train_forwards: float | None
    train_forwards_in_eval_mode: float | None
    first_eval_mode_step: float | None
    first_eval_mode_stage: bool
    eval_forwards: float | None
    eval_passes: float | None
    eval_forwards_in_train_mode: float | None
    eval_forwards_dropping: float | None
    dropping_site: Site | None
    mode_layers: tuple[str, ...]
    train_off: tuple[str, ...]


class Precision(Entry):
    param_dtypes: Mapping[str, Any]
    autocast: str
    scaler: bool | None
    activations: tuple[str, ...]
    unchanged_share: float | None
    grad_underflow: float | None

    @property
    def float16(self) -> bool:
        """Whether anything in forward or backward is float16: the narrow range matters."""
        used = (*self.param_dtypes, self.autocast, *self.activations)
        return any(name.removeprefix("torch.") in ("float16", "half") for name in used)

    @property
    def half_weights(self) -> bool:
        """Whether parameters themselves are float16 or bfloat16: the coarse resolution matters."""
        return any(name.removeprefix("torch.") in ("float16", "half", "bfloat16") for name in self.param_dtypes)


class Hoard(Entry):
    """A variable that keeps the graphs of earlier steps."""

    name: str
    graphs: float | None
    site: Site | None
    let_go: float | None


class Log(Entry):
    """How a log was read."""

    columns: Mapping[str, Any]
    step_unit: str
    runs: int | None
    resumed_at: tuple[float, ...]
    config: Mapping[str, Any]
    notes: tuple[str, ...]
    unread_validation: tuple[str, ...]
    networks: tuple[str, ...]


class Statement(Entry):
    """What a person said of one sign."""

    level: float | None
    text: str
    onset: int | None


class Told(Entry):
    """What a person said instead of a measurement."""

    facts: tuple[str, ...]
    signs: Mapping[str, Statement]


class Regularization(Entry):
    dropout: float
    weight_decay: float
    augmentation: bool


class Details(Entry):
    """What an event tells; each kind has some of these."""

    site: Site | None
    # of a number that is not finite
    where: str  # input, target, forward, loss, backward, weights
    module: str
    op: str
    detail: str
    candidates: float | None  # operations that it may have been: more than one where the values were gone
    input_range: tuple[float, ...]
    loss: float | None  # while a gradient already was not
    weights_finite: bool | None
    inputs_finite: bool | None
    targets_finite: bool | None
    update_ratio_before: float | None  # in older records
    grad_norm_before: float | None
    # of a batch whose loss jumped
    input_max: float | None
    target_max: float | None
    # of a clipping before `unscale_`
    scale: float | None
    threshold: float | None
