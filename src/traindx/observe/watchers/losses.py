"""The loss of every backward, unscaled, by call site."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import torch

from ..fast_path.steps import USUAL_SHARE, USUAL_SPREADS, FastSteps
from ..graph_reading.handwritten_loss import recognise
from ..metric_queue import cpu_value
from ..session import Session
from ..sites import describe
from ..tensors import local, plain, tensors_in

# Optimizer 0 silent for so many steps: another phase of training has begun, with another optimizer.
OTHER_PHASE = 50

PACE = 0.1  # at which the level of the loss follows it
FOLLOWED = 100  # steps further back no longer count in the level

_Put = Callable[[str, int, Any], None]  # a series, a step, the value there


class Losses:
    name = "losses"
    AFTER = ("step inputs",)

    def __init__(self, session: Session) -> None:
        self.session = session
        self._site_facts: list[dict[str, Any]] = []
        self._pending: list[tuple[int, Any]] = []  # (site, value) of the update in progress
        self._several: bool = False
        self._first_optimizer_stepped = 0
        self._held: list[tuple[int, list[Any]]] = []  # steps of others, as long as the first optimizer has made none
        self._scaled: tuple[weakref.ref[Any], Any] | None = None
        self._jumps = 0
        self._deriving = self._stepped_within = False  # a backward is going on; an optimizer has stepped in it

    def loss_scaled(self, scaler: Any, plain: Any, scaled: Any) -> None:
        if local(scaled) and local(plain):
            self._scaled = (weakref.ref(scaled), plain.detach())

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        if not isinstance(loss, torch.Tensor):
            return
        site = self._site_of(frame, loss, keep)
        value: Any = loss
        if self._scaled is not None and self._scaled[0]() is loss:
            value = self._scaled[1]
        self._scaled = None
        number = cpu_value(value) if value.numel() == 1 else None
        if number is None:
            value = value.detach().mean() if value.numel() > 1 else value.detach().clone()
            self.session.last_loss = None
        else:
            value = number
            self.session.last_loss = number
            self._notice_jump(number)
        self._pending.append((site, value))
        self._deriving = True

    def fast_steps_ended(self, fast: FastSteps) -> None:
        alike = fast.told_alike() if not self._pending and not self._several else None
        if alike is not None and alike[1] == 0:
            self._file_alike(fast.first_step, alike[0], alike[2])
        else:
            self._file_told(fast)

    def _file_alike(self, first_step: int, site: int, values: list[Any]) -> None:
        """Records many steps of the simplest kind (one backward, one step) at once."""
        steps = range(first_step, first_step + len(values))
        self._site_facts[site]["count"] += len(values)
        self._first_optimizer_stepped = steps[-1]
        self._follow(values)
        self.session.metrics.scalars("loss/train", steps, values)

    def _follow(self, values: list[Any]) -> None:
        level = self.session.loss_level
        for value in values[-FOLLOWED:]:
            if isinstance(value, float):
                level = _followed(level, value, PACE)
        self.session.loss_level = level
        if values:
            self.session.last_loss = values[-1] if isinstance(values[-1], float) else None

    def _file_told(self, fast: FastSteps) -> None:
        step = fast.first_step
        filed: dict[str, tuple[list[int], list[Any]]] = {}

        def put(series: str, step: int, value: Any) -> None:
            steps, values = filed.setdefault(series, ([], []))
            steps.append(step)
            values.append(value)

        losses = []
        for stepped, number, told in fast.told():
            if stepped:
                self._step_ended(number, step, put)
                step += 1
                continue
            self._site_facts[number]["count"] += 1
            self._pending.append((number, told))
            losses.append(told)
        self._follow(losses)
        for series, (steps, values) in filed.items():
            self.session.metrics.scalars(series, steps, values)

    def _site_of(self, frame: Any, loss: Any, keep: bool) -> int:
        key = (id(frame.f_code), frame.f_lasti) if frame is not None else (0, 0)
        sites = self.session.backward_sites
        site = sites.get(key)
        if site is None:
            site = sites[key] = len(sites)
            self._several = site > 0
            self.session.backward_places.append((frame.f_code, frame.f_lineno) if frame is not None else (None, 0))
            self._site_facts.append({"site": describe(frame), "count": 0, "retain_graph": keep})
            if (
                frame is not None and not loss.requires_grad
            ):  # the gradient of a function was taken, which leaves no graph
                self._site_facts[site]["functional"] = True
                self.session.not_visible(
                    "gradients are computed by torch.func: gradients per layer and updates are not visible"
                )
        self._site_facts[site]["count"] += 1
        return site

    def _notice_jump(self, value: float) -> None:
        session = self.session
        if not math.isfinite(value):
            return
        level, spread = session.loss_level
        if math.isnan(level):
            session.loss_level = (value, spread)
            return
        if value - level > max(USUAL_SPREADS * spread, USUAL_SHARE * abs(level)) and session.step > 5:
            session.schedule.alert(session.step)
            if self._jumps < 200:
                self._jumps += 1
                session.writer.event("loss-jump", session.step, **{"from": level, "to": value}, **self._extremes())
        session.loss_level = _followed(session.loss_level, value, 0.3 if session.step < 10 else PACE)

    def _extremes(self) -> dict[str, float]:
        """The largest input and target of the batch whose loss jumped; such a step is rarely one that is looked at.

        As `batches` does at its looks, only the first tensor of each call counts: others have a scale of their own.
        """
        target = self.session.target() if self.session.target is not None else None
        firsts = [next((t for t in tensors_in(given) if t.dim() > 0), None) for given in self.session.given]
        found: dict[str, list[Any]] = {"input_max": firsts, "target_max": [target]}
        with torch.no_grad():
            sizes = {key: [t.detach().abs().max() for t in ts if _measurable(t)] for key, ts in found.items()}
            known = {key: cpu_value(torch.stack(each).double().max()) for key, each in sizes.items() if each}
        return {key: value for key, value in known.items() if value is not None}

    # ── an update ends: its losses are filed ────────────────────────────────────────────────────

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        if self._deriving and not closure:
            self._stepped_within = True  # each parameter steps as soon as it has its gradient
            return
        self._step_ended(self.session.optimizer_index(optimizer), self.session.step, self.session.metrics.scalar)

    def step_unseen(self, optimizer: Any, loss: Any, seconds: float) -> None:
        if loss is not None:
            self.backward_begin(loss, None, False)
        self._deriving = False
        self.step_end(optimizer, True, seconds)

    def _step_ended(self, index: int, step: int, put: _Put) -> None:
        first = self._first_optimizer()
        if index == first:
            self._first_optimizer_stepped = step
            self._held.clear()
        main = index == first or step - self._first_optimizer_stepped > OTHER_PHASE
        if not main and first not in self.session.have_stepped:
            self._held.append((step, self._of_first_site()))
        elif main and self._held:  # it never steps: what was trained from the beginning is what counts
            for earlier, values in self._held:
                for value in values:
                    put("loss/train", earlier, value)
            self._held.clear()
        self._file(step, main, put)

    def _first_optimizer(self) -> int:
        """The first optimizer, unless it was deleted before it ever stepped: scripts may replace it by another."""
        if 0 in self.session.have_stepped or not self.session.optimizers or self.session.optimizers[0]() is not None:
            return 0
        return min([*self.session.have_stepped, *(i for i, _ in self.session.live_optimizers())], default=0)

    def _of_first_site(self) -> list[Any]:
        return [value for site, value in self._pending if site == self._pending[0][0]]

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._deriving = False
        stepped, self._stepped_within = self._stepped_within, False
        if stepped or not self.session.optimizers or len(self._pending) > 50:
            self._file(self.session.step, True, self.session.metrics.scalar)

    def _file(self, step: int, main: bool, put: _Put) -> None:
        if main:
            for value in self._of_first_site():
                put("loss/train", step, value)
        if self._several:
            for site, value in self._pending:
                put(f"loss/train/{site}", step, value)
        self._pending.clear()

    def flush(self) -> None:
        steps = max(1, self.session.step)
        self.session.writer.fact(
            "backward_sites", [{**fact, "per_step": fact["count"] / steps} for fact in self._site_facts]
        )

    def finish(self) -> None:
        self._file(self.session.step, True, self.session.metrics.scalar)


def _measurable(tensor: Any) -> bool:
    """Whether it is data, and not an output of the model, which would grow with the weights."""
    return (
        plain(tensor) and not tensor.requires_grad and tensor.is_floating_point() and tensor.is_cpu and tensor.dim() > 0
    )


def _followed(level_and_spread: tuple[float, float], value: float, pace: float) -> tuple[float, float]:
    level, spread = level_and_spread
    away = value - level
    return level + pace * away, spread + pace * (abs(away) - spread)


# ── losses written by hand: recognised ones are announced as if the standard function had been called ───

SMALL = 1 << 18  # elements: a megabyte, for the length of a loss function


class HandwrittenLosses:
    name = "handwritten losses"
    AFTER = ("losses",)
    ONLY_ON_LOOKS = frozenset({"forward_end", "loss_computed"})

    def __init__(self, session: Session) -> None:
        self.session = session
        self._outputs: list[weakref.ref[Any]] = []  # of models in this step
        self._last: list[Any] = []  # of the last one
        self._standard = False  # a standard loss was computed in this step
        self._target: Any = None  # is made here: whoever wants to see it later in this step needs it alive

    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None:
        if self.session.light and torch.is_grad_enabled() and not self.session.evaluating:
            made = [t for t in tensors_in(output) if t.grad_fn is not None][:4]
            self._outputs = [*self._outputs[-8:], *map(weakref.ref, made)]
            # In `loss(model(x), y)` nothing else keeps the output until backward. A large one is not kept for our sake,
            # and never more than one forward's.
            if any(t.dim() for t in made):  # not the loss itself, of a module of one's own
                self._last = [t for t in made if t.numel() <= SMALL]

    def loss_computed(self, name: str, given: Any, value: Any) -> None:
        self._standard = self._standard or (value.requires_grad and not self.session.evaluating)

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        session = self.session
        known, self._standard = self._standard, False
        outputs = [t for ref in self._outputs if (t := ref()) is not None]
        self._outputs, self._last = [], []
        if known or not session.light or session.hooks.saved_tensors_hooked or not isinstance(loss, torch.Tensor):
            return
        with torch.no_grad():
            found = recognise(loss, outputs)
        if found is not None:
            self._target = found.target
            value = found.value.detach().requires_grad_()  # that is how the others know a training loss
            session.hooks.relay("loss_computed", found.name, ((found.prediction, found.target), {}), value)
            self._standard = False

    def backward_end(self, loss: Any, seconds: float) -> None:
        self._target = None
