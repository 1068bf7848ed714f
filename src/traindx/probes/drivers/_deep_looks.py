"""Takes deeper looks at a training than a plain run does: at steps 8, 24, 72 …, at a loss spike, and at the end.
(Every run, deep or not, looks for the origin of a non-finite value.)

The watcher keeps the last batches and the weights before the last step. Every look works on a copy of the model.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import torch

from ...observe.tensors import streams_unchanged, tensors_in
from ..acting.pinning import equal
from ..deep.looks import NAMES, Moment, looks, replay_spike
from ._replay import Capture, Replayable, twin_of

FIRST, GROWTH = 8, 3
KEPT = 8  # batches kept for the noise scale and for the comparison at a spike
CHUNKS = 4  # the noise scale needs at least this many batches, else one batch is split into as many parts
MAX_BYTES = 256 << 20  # of all kept batches
SHARE = 0.5  # from the second look on, looks may take this share of the training's own time
SPIKE = 8.0  # a spike is this many robust deviations above the median of the last losses, and 50 % above it
SPIKES = 3  # at most this many are replayed
AFTERMATH = 32  # high losses within this many steps after a spike count as its consequence


class DeepLooks:
    name = "deep looks"

    def __init__(
        self, session: Any, moments: Callable[[int], bool] | None = None, names: Iterable[str] = NAMES
    ) -> None:
        self.session = session
        self._due = moments or Threefold()
        self._names = tuple(names)
        self._capture = Capture()
        self._root: Any = None  # a strong reference: the script's variables may be gone at the end
        self._batches: deque[Replayable] = deque(maxlen=KEPT)
        self._step: list[Replayable] = []  # backwards of the update in progress
        self._last: list[Replayable] = []  # backwards of the last update
        self._why_not: str | None = None
        self._before: dict[int, Any] = {}
        self._losses: deque[float] = deque(maxlen=32)
        self._found: list[dict[str, Any]] = []
        self._spikes: list[dict[str, Any]] = []
        self._began, self._spent = perf_counter(), 0.0

    # ── events of the training ──────────────────────────────────────────────────────────────────

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if torch.is_grad_enabled() and self.session.has_parameters(root):
            self._capture.forward_begin(root, args, kwargs)

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if torch.is_grad_enabled() and self.session.has_parameters(root):
            self._capture.forward_end(output)

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        if value.requires_grad:
            self._capture.loss_computed(name, given, value)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        found = self._capture.backward(self.session.last_loss)
        if isinstance(found, str):
            self._why_not = found
            return
        self._root = found.call.root()
        if self._is_spike(found.value):
            self._replay_spike(found)
        self._losses.append(found.value)
        self._step.append(found)

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        if self._root is not None:
            with torch.no_grad():
                for parameter in self._root.parameters():
                    kept = self._before.get(id(parameter))
                    if kept is None or kept.shape != parameter.shape:
                        self._before[id(parameter)] = parameter.detach().clone()
                    else:
                        kept.copy_(parameter)

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        made, self._step = self._step[-KEPT:], []
        if not made:
            return
        self._batches.extend(made)
        while len(self._batches) > 1 and sum(_bytes(b) for b in self._batches) > MAX_BYTES:
            self._batches.popleft()
        self._last = made
        affordable = not self._found or self._spent <= SHARE * (perf_counter() - self._began - self._spent)
        if self._due(self.session.step) and affordable:
            self._look(made, "step")

    def finish(self) -> None:
        if self._batches and (not self._found or self._found[-1]["step"] < self.session.step - 1):
            self._look(self._last, "end")
        self.flush()

    def flush(self) -> None:
        if self._found:
            self.session.writer.fact("deep", self._found)
        elif self._why_not:
            self.session.writer.fact("deep", [{"step": self.session.step, "why_not": {"all": self._why_not}}])
        if self._spikes:
            self.session.writer.fact("spikes", self._spikes)

    # ── looking ─────────────────────────────────────────────────────────────────────────────────

    def _look(self, made: list[Replayable], when: str) -> None:
        began = perf_counter()
        fact: dict[str, Any] = {"step": self.session.step, "when": when}
        try:
            with streams_unchanged():
                fact.update(looks(self._moment(made), self._names))
        except ValueError as error:
            fact["why_not"] = {"all": str(error)}
        self._found.append(fact)
        self._spent += perf_counter() - began

    def _moment(self, made: list[Replayable]) -> Moment:
        twin = twin_of(self._root, made[-1].call.modes)
        weights = [self._before.get(id(p)) for p in self._root.parameters()]
        batch = made[-1].samples
        alike = [kept for kept in self._batches if kept.samples == batch]
        # A loop over the whole data set repeats one batch. Repeats show no noise, so split the batch instead.
        if len(alike) >= CHUNKS and not equal(alike[0].call.args, alike[1].call.args):
            samples, chunks = batch, [partial(kept.loss, twin) for kept in alike]
        else:
            samples = batch // CHUNKS
            cuts = [slice(i * samples, (i + 1) * samples) for i in range(CHUNKS)] if samples else []
            chunks = [partial(made[-1].loss, twin, rows) for rows in cuts]
        return Moment(
            twin=twin,
            loss=lambda: _mean([m.loss(twin) for m in made]),
            drawn=lambda: _mean([m.loss(twin, own_stream=False) for m in made]),
            value=float(np.mean([m.value for m in made])),
            before=None if any(w is None for w in weights) else weights,
            chunks=chunks,
            samples=samples,
            batch=batch,
            rate=self._rate(),
        )

    def _rate(self) -> float | None:
        """The learning rate of plain SGD, whose edge of stability is 2 / LR; None for other optimizers."""
        for _, optimizer in self.session.live_optimizers():
            group = optimizer.param_groups[0]
            if type(optimizer).__name__ == "SGD" and not group.get("momentum"):
                return float(group["lr"])
        return None

    def _is_spike(self, value: float) -> bool:
        if len(self._spikes) >= SPIKES or len(self._losses) < 12 or len(self._batches) < 4:
            return False
        if self._spikes and self.session.step < self._spikes[-1]["step"] + AFTERMATH:
            return False
        usual = np.array(self._losses)
        middle = float(np.median(usual))
        spread = 1.4826 * float(np.median(np.abs(usual - middle)))
        return value > middle + SPIKE * spread and value > middle + 0.5 * abs(middle)

    def _replay_spike(self, suspect: Replayable) -> None:
        """Test whether the batch of a spike also stands out on the weights before the last step."""
        try:
            twin = twin_of(self._root, suspect.call.modes)
            earlier = twin.state_dict()
            for (name, _), own in zip(twin.named_parameters(), self._root.parameters(), strict=True):
                earlier[name] = self._before[id(own)]
            with streams_unchanged():
                found = replay_spike(twin, lambda batch: batch.loss(twin), suspect, list(self._batches), earlier)
        except (ValueError, KeyError):
            return
        self._spikes.append(
            {
                "step": self.session.step,
                "loss": suspect.value,
                "earlier_weights": found.suspect,
                "others": float(np.median(found.others)),
                "deviations": min(found.deviations, 1e9),
                "verdict": found.verdict,
            }
        )


class Threefold:
    """True at steps 8, 24, 72 …: more often early, when a training changes fast."""

    def __init__(self) -> None:
        self._next = FIRST

    def __call__(self, step: int) -> bool:
        if step < self._next:
            return False
        while self._next <= step:
            self._next *= GROWTH
        return True


def _mean(losses: list[Any]) -> Any:
    """The mean loss of a step's micro-batches."""
    return sum(losses[1:], start=losses[0]) / len(losses)


def _bytes(batch: Replayable) -> int:
    return sum(t.numel() * t.element_size() for t in tensors_in((batch.call.args, batch.call.kwargs, batch.rest)))
