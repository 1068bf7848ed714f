"""Optimizers and schedulers: settings, rates, and whether gradients were cleared between steps."""

from __future__ import annotations

import weakref
from typing import Any

from ..fast_path.optimizers import rates_of
from ..fast_path.steps import FastSteps
from ..graph_reading.graphs import leaves
from ..metric_queue import cpu_value
from ..model_walk import parameters
from ..session import Session
from ..tensors import plain

# Settings that torch keeps for itself and nobody asks about.
_INTERNAL = {"params", "initial_lr", "foreach", "capturable", "differentiable", "fused", "decoupled_weight_decay"}


MAX_SCHEDULERS = 64  # that are listed: some scripts make a new one each epoch


class _State:
    """What is known of one optimizer."""

    def __init__(self, optimizer: Any, site: dict[str, Any] | None) -> None:
        self.facts: dict[str, Any] = {
            "class": type(optimizer).__name__,
            "site": site,
            "groups": [_settings(group) for group in optimizer.param_groups],
            "tensors": sum(len(g["params"]) for g in optimizer.param_groups),
            "elements": sum(p.numel() for g in optimizer.param_groups for p in g["params"]),
            "steps": 0,
            "first_step": None,
            "grads_kept": 0,
            "emptied": 0,
            "steps_heard": 0,
            "rescaled": 0,
        }
        self.gradient: tuple[int, int] | None = None  # where the first parameter's lies after backward, and its version
        self.rates: list[float | None] = [None] * len(optimizer.param_groups)
        # Cleared since the last step? There is nothing to clear before the first backward. None: unknown (fast step).
        self.cleared: bool | None = True
        self.reached: bool | None = None  # does a loss's gradient go into its parameters? Asked when one was kept
        self.emptied = False  # since the last backward


def _settings(group: dict[str, Any]) -> dict[str, Any]:
    settings = {key: _plain(value) for key, value in group.items() if key not in _INTERNAL}
    settings["tensors"] = len(group["params"])
    settings["elements"] = sum(p.numel() for p in group["params"])
    return settings


def _plain(value: Any) -> Any:
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value[:8]]
    if hasattr(value, "item") and getattr(value, "numel", lambda: 2)() == 1:  # a learning rate kept as a tensor
        return float(value)
    return str(value)[:80]


class Watcher:
    name = "optimizers"
    AFTER = ("losses",)
    EVERY_RANK = True

    def __init__(self, session: Session) -> None:
        self.session = session
        self._states: list[_State] = []
        self._schedulers: list[tuple[weakref.ref[Any], dict[str, Any]]] = []
        self._unassigned: list[tuple[weakref.ref[Any], dict[str, Any]]] = []  # schedulers of optimizers to come
        self._backpropagated = False  # a backward was seen since the last step

    def _state(self, optimizer: Any) -> _State:
        index = self.session.optimizer_index(optimizer)
        while len(self._states) <= index:  # one that was made before we watched
            known = self.session.optimizers[len(self._states)]()
            self._states.append(_State(known if known is not None else optimizer, None))
        return self._states[index]

    def optimizer_made(self, optimizer: Any, site: dict[str, Any] | None) -> None:
        if self.session.may_replace(optimizer):
            return  # when it is used, the other one is gone, or is not
        index = self.session.optimizer_index(optimizer)
        if index == len(self._states):
            self._states.append(_State(optimizer, site))

    def scheduler_made(self, scheduler: Any, site: dict[str, Any] | None) -> None:
        if any(ref() is scheduler for ref, _ in self._schedulers):
            return
        settings = {
            key: _plain(value)
            for key, value in vars(scheduler).items()
            if not key.startswith("_") and isinstance(value, (bool, int, float, str, list, tuple))
        }
        optimizer = getattr(scheduler, "optimizer", None)
        facts = {
            "class": type(scheduler).__name__,
            "optimizer": None,
            "site": site,
            "settings": settings,
            "steps": 0,
        }
        if len(self._schedulers) < MAX_SCHEDULERS:
            self._schedulers.append((weakref.ref(scheduler), facts))
            if optimizer is not None and not self.session.may_replace(optimizer):
                facts["optimizer"] = self.session.optimizer_index(optimizer)
            elif optimizer is not None:
                self._unassigned.append((weakref.ref(optimizer), facts))

    # ── were gradients cleared? ─────────────────────────────────────────────────────────────────

    def grads_cleared(self, owner: Any) -> None:
        if hasattr(type(owner), "add_param_group"):
            self._state(owner)
        for _, optimizer in self.session.live_optimizers():
            state = self._state(optimizer)
            if owner is optimizer:
                state.cleared = state.emptied = True
            elif state.cleared is False or self._backpropagated:
                # A module: does it hold this one's parameters?
                first = _first_parameter(optimizer)
                if any(parameter is first for parameter in parameters(owner)):
                    state.cleared = state.emptied = True

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        for _, optimizer in self.session.live_optimizers():
            state = self._state(optimizer)
            state.emptied = False
            if state.cleared is False:
                state.cleared = _gradients_empty(optimizer)
                if not state.cleared and state.reached is None:
                    state.reached = _reached(optimizer, loss)
        self._backpropagated = True

    # ── did the script change the gradients before the step? ────────────────────────────────────

    def backward_end(self, loss: Any, seconds: float) -> None:
        for _, optimizer in self.session.live_optimizers():
            self._state(optimizer).gradient = _first_gradient(optimizer)

    def clipped(self, kind: str, parameters: Any, threshold: Any, norm: Any, site: dict[str, Any] | None) -> None:
        for _, optimizer in self.session.live_optimizers():
            self._changed(optimizer, 2 if kind == "value" else 1)

    def unscaled(self, scaler: Any, optimizer: Any) -> None:
        self._changed(optimizer, 1)

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        if not closure:
            self._changed(optimizer, 0)

    def _changed(self, optimizer: Any, times: int) -> None:
        """Torch itself has changed the gradients in place at most so many times; more is the script's doing."""
        state, now = self._state(optimizer), _first_gradient(optimizer)
        if self.session.hooks.fast is not None:
            now = None  # backward passes of fast steps are not announced
        if state.gradient is not None and now is not None:
            state.facts["rescaled"] += now[0] != state.gradient[0] or now[1] > state.gradient[1] + times
        state.gradient = now

    def step_unseen(self, optimizer: Any, loss: Any, seconds: float) -> None:
        if loss is not None or not self._backpropagated:
            self._state(optimizer).cleared = None  # nobody knows
        self.step_end(optimizer, True, seconds)

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        session = self.session
        state = self._state(optimizer)
        session.stepped_at[session.optimizer_index(optimizer)] = session.step
        for ref, scheduler in self._unassigned:
            if ref() is optimizer:
                scheduler["optimizer"] = session.optimizer_index(optimizer)
        self._unassigned = [(ref, scheduler) for ref, scheduler in self._unassigned if scheduler["optimizer"] is None]
        facts = state.facts
        if facts["first_step"] is None:
            facts["first_step"] = session.step
            session.have_stepped.add(session.optimizer_index(optimizer))
        elif state.cleared is False and self._backpropagated and state.reached is not False:
            facts["grads_kept"] += 1
            if facts["grads_kept"] == 1:
                session.writer.event("grads-kept", session.step, optimizer=session.optimizer_index(optimizer))
        facts["steps"] += 1
        facts["steps_heard"] += state.cleared is not None
        facts["emptied"] += state.emptied and self._backpropagated and not closure
        self._backpropagated = False
        facts["closure"] = closure
        state.cleared = False
        self._note_rates(session.optimizer_index(optimizer), session.step, rates_of(optimizer.param_groups))

    def fast_steps_ended(self, fast: FastSteps) -> None:
        step, last = fast.first_step, None
        alike = fast.told_alike()
        if alike is not None:
            last = self._states[alike[1]]
            last.facts["steps"] += len(alike[2])
        for stepped, index, rates in fast.told() if alike is None else ():
            if stepped:
                last = self._states[index]
                last.facts["steps"] += 1
                if rates is not None:
                    self._note_rates(index, step, rates)
                step += 1
        if last is not None:
            self.session.stepped_at[self._states.index(last)] = fast.first_step + fast.steps - 1
        self._backpropagated = False
        for state in self._states:
            state.emptied, state.gradient = False, None
            # The optimizer that has just stepped has not cleared yet; for the others, and within a step, it is unknown.
            state.cleared = False if state is last and not fast.within_a_step else None

    def _note_rates(self, index: int, step: int, rates: list[Any]) -> None:
        session, state = self.session, self._states[index]
        for g, rate in enumerate(rates[:8]):
            if g == len(state.rates):
                state.rates.append(None)
            if rate is None:
                continue
            if hasattr(rate, "detach"):
                rate = rate.detach()
                if session.light:
                    session.metrics.scalar(_rate_name(index, g), step, rate.clone())
                continue
            before = state.rates[g]
            if rate != before or session.light:
                session.metrics.scalar(_rate_name(index, g), step, rate)
            if before is not None and before > 0 and not 0.5 <= rate / before <= 2.0:
                session.writer.event("lr-changed", step, optimizer=index, group=g, **{"from": before, "to": rate})
            state.rates[g] = rate

    def flush(self) -> None:
        for state, ref in zip(self._states, self.session.optimizers, strict=False):
            optimizer = ref()
            if optimizer is not None and len(optimizer.param_groups) != len(state.facts["groups"]):
                state.facts["groups"] = [_settings(group) for group in optimizer.param_groups]
        for scheduler_ref, facts in self._schedulers:
            scheduler = scheduler_ref()
            if scheduler is not None:
                facts["steps"] = max(0, int(getattr(scheduler, "_step_count", 1) or 1) - 1)
        self.session.writer.fact("optimizers", [state.facts for state in self._states])
        self.session.writer.fact("schedulers", [facts for _, facts in self._schedulers])


def _rate_name(optimizer: int, group: int) -> str:
    return "lr" if optimizer == 0 and group == 0 else f"lr/{optimizer}.{group}"


def _first_parameter(optimizer: Any) -> Any:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            return parameter
    return None


def _first_gradient(optimizer: Any) -> tuple[int, int] | None:
    gradient = getattr(_first_parameter(optimizer), "grad", None)
    return None if gradient is None or not plain(gradient) else (gradient.data_ptr(), gradient._version)


def _gradients_empty(optimizer: Any) -> bool:
    """No gradient is there, or all are zero (`set_to_none=False`, or cleared by hand).

    On an accelerator values cannot be looked at without waiting for it; there a gradient that is present counts.
    """
    present = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
    return all(gradient_empty(gradient) for gradient in present[:4])  # whoever clears by hand clears all


def _reached(optimizer: Any, loss: Any) -> bool:
    """Whether backward adds to this optimizer's gradients. Copies of weights get theirs assigned instead."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return any(id(leaf) in held for leaf in leaves(loss))


def gradient_empty(gradient: Any) -> bool:
    """Whether the gradient is known to be all zero; on an accelerator that is not known."""
    return cpu_value(gradient) == 0.0 and not cpu_value(gradient.ne(0).any())
