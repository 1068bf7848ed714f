"""The first non-finite value: when, in which batch, and which operation made it."""

from __future__ import annotations

import math
import weakref
from dataclasses import dataclass
from types import CodeType, SimpleNamespace
from typing import Any

import torch

from ..fast_path.optimizers import bad_gradient
from ..fast_path.steps import FastSteps
from ..graph_reading import nonfinite_origin as origin
from ..metric_queue import cpu_value
from ..model_walk import parameters
from ..session import Session
from ..tensors import plain, tensors_in
from .forwards import MAX_CALLS
from .loss_inputs import given_pair

MAX_ONSETS = 20


class Watcher:
    name = "non-finite values"
    AFTER = ("losses",)

    def __init__(self, session: Session) -> None:
        self.session = session
        self._bad = False
        self._onsets = 0
        self._gradient_bad = False
        self._calls: list[_Call] = []  # of the step in progress: several models may have had a part in a loss
        self._backward: tuple[weakref.ref[Any], CodeType, int] | None = None  # the last one: its loss, and where
        self._located = False
        session.metrics.listen("loss/train", self._noticed_late)

    # ── what a replay needs, kept by weak reference ─────────────────────────────────────────────

    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None:
        if torch.is_grad_enabled() and (args or kwargs) and self.session.has_parameters(root):
            weak = {key: _weak((value,))[0] for key, value in kwargs.items()}
            # The random state takes 5 kB, so it is kept only on looks; else the replay drops other units than training.
            rng = torch.get_rng_state() if root.training and self.session.light and not self._located else None
            self._calls = [*self._calls[1 - MAX_CALLS :], _Call(weakref.ref(root), _weak(args), weak, rng)]

    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None:
        self._calls = self._calls[-1:]

    # ── noticing ────────────────────────────────────────────────────────────────────────────────

    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None:
        value = self.session.last_loss
        if isinstance(loss, torch.Tensor) and frame is not None:
            self._backward = (weakref.ref(loss), frame.f_code, frame.f_lineno)
        if value is None:
            return
        if math.isfinite(value):
            self._bad = False
            return
        if self._bad:
            return
        self._bad = True
        self._onsets += 1
        if self._onsets <= MAX_ONSETS:
            self._report(loss, frame, value)

    def loss_failed(self, name: str, given: Any) -> None:
        """A loss function raised an error, as binary cross-entropy does for inputs outside [0, 1]."""
        bad = [t for t in tensors_in(given) if plain(t) and not origin.finite(t)]
        if bad and not self._located:
            first = given_pair(name, given)[0]
            self._report(first if isinstance(first, torch.Tensor) else bad[0], None, math.nan)

    def fast_steps_ended(self, fast: FastSteps) -> None:
        if fast.backwards:
            self._bad = False
        if fast.last_call is not None and (root := fast.last_call[0]()) is not None:
            self.forward_begin(root, *fast.last_call[1:])
        if fast.last_site is not None:
            self._backward = (fast.last_loss, *self.session.backward_places[fast.last_site])

    def _noticed_late(self, steps: list[int], values: list[float]) -> None:
        """Losses on an accelerator arrive with the flush: too late to find the origin, but the event is recorded."""
        for step, value in zip(steps, values, strict=True):
            if not math.isfinite(value) and not self._onsets:
                self._onsets += 1
                self.session.schedule.alert(self.session.step)
                self.session.writer.event("nonfinite-loss", step, value=str(value))
                self.session.say(f"the loss turned {value} at step {step}")

    def _report(self, loss: Any, frame: Any, value: float) -> None:
        session = self.session
        session.nonfinite = True
        session.schedule.alert(session.step)
        inputs, target = self._inputs(), session.target() if session.target is not None else None
        weights = self._bad_weight()
        facts = {
            "value": str(value),
            "weights_finite": weights is None,
            "inputs_finite": all(origin.finite(t) for t in inputs),
            "targets_finite": target is None or origin.finite(target),
        }
        session.writer.event("nonfinite-loss", session.step, **facts)
        session.writer.event("nonfinite-batch", session.step, input=_range(inputs), target=_range([target]))
        if self._onsets == 1:
            session.hooks.save_due = (
                0.0  # at once: whoever follows the run waits for this, and the script may stop here
            )
            session.say(f"the loss turned {value} at step {session.step}")
        if not self._located:
            self._located = True
            session.writer.event("nonfinite-origin", session.step, **self._locate(facts, weights, loss, frame))

    def _inputs(self) -> list[Any]:
        """Whether it is data. Tensors computed on the way, such as the last state of a rollout, are not."""
        return [t for t in self._given() if t.grad_fn is None]

    def _given(self) -> list[Any]:
        return [t for call in self._calls for t in tensors_in(_strong((*call.args, *call.kwargs.values()))) if plain(t)]

    def _bad_weight(self) -> str | None:
        for _, root in self.session.naming.roots():
            for parameter in parameters(root):
                if not origin.finite(parameter):
                    return self.session.naming.name_of(parameter)
        for _, optimizer in self.session.live_optimizers():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if not origin.finite(parameter):
                        return self.session.naming.name_of(parameter)
        return None

    # ── locating ────────────────────────────────────────────────────────────────────────────────

    def _locate(self, facts: dict[str, Any], weights: str | None, loss: Any, frame: Any) -> dict[str, Any]:
        if not facts["inputs_finite"]:
            return {"where": "input"}
        if not facts["targets_finite"]:
            return {"where": "target"}
        if weights is not None:
            return {"where": "weights", "module": weights}
        for call in reversed(self._calls):
            birth = call.replay()[0]
            if birth is not None:
                return {"where": "forward", **birth}
        if not self._calls and not self.session.hooks.saved_tensors_hooked and origin.bad_data(loss):
            return {"where": "input"}
        birth = origin.in_graph(loss, "f") if not self.session.hooks.saved_tensors_hooked else None
        if birth is not None:
            birth["site"] = birth["site"] or origin.line_of(birth["op"], frame)
            return {"where": "loss", **birth}
        handed_on = all(origin.finite(t) for t in self._given())  # from one call of the model to the next
        if not self.session.hooks.saved_tensors_hooked and self._inputs() and handed_on and origin.bad_constant(loss):
            return {"where": "target"}  # in a loss that the script computes itself
        return {
            "where": "loss",
            "op": None,
            "site": None,
            "detail": "the model's output is finite" if handed_on else None,
        }

    # ── a gradient that is not finite although the loss is ──────────────────────────────────────

    def step_begin(self, optimizer: Any, closure: bool) -> None:
        if closure or self._gradient_bad or self._bad:
            return
        parameter = bad_gradient(optimizer)
        if parameter is not None:
            self._gradient_bad = True
            self._report_gradient(parameter)

    def _report_gradient(self, parameter: Any) -> None:
        session = self.session
        session.schedule.alert(session.step)
        name = session.naming.name_of(parameter)
        session.writer.event("nonfinite-gradient", session.step, param=name, loss=session.last_loss)
        if self._located:
            return
        self._located = True
        output = self._calls[-1].replay()[1] if self._calls else None
        found: dict[str, Any] = {"where": "backward", "op": None, "site": None}
        for tensor in tensors_in(output):
            in_model = origin.in_graph(tensor, "fb")
            if in_model is not None:
                found.update(in_model)
                break
        else:
            risky = self.session.risky_operation or self._suspect()
            if risky is not None:
                found.update(risky)
        session.writer.event("nonfinite-origin", session.step, **found)

    def _suspect(self) -> dict[str, Any] | None:
        """Names the operation for a step without a look: its values are gone, but its graph is not."""
        if self._backward is None:
            return None
        loss, code, line = self._backward[0](), *self._backward[1:]
        ops = origin.suspects(loss) if loss is not None else []
        if not ops:
            return None
        place = SimpleNamespace(f_code=code, f_lineno=line)
        return {"op": ops[0], "site": origin.line_of(ops[0], place), "candidates": len(ops)}


class _Gone:
    """A tensor that no longer exists."""


@dataclass(frozen=True)
class _Call:
    """A model's forward, by weak references."""

    root: weakref.ref[Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    rng: Any

    def replay(self) -> tuple[dict[str, Any] | None, Any]:
        """The first non-finite value of the replayed forward, if there was one, and its output."""
        root, args = self.root(), _strong(self.args)
        kwargs = {key: _strong((value,))[0] for key, value in self.kwargs.items()}
        if root is None or any(isinstance(value, _Gone) for value in (*args, *kwargs.values())):
            return None, None
        try:
            return origin.replay(root, args, kwargs, self.rng)
        except Exception:
            return None, None  # a model that cannot be copied or run twice: the graph is looked at instead


def _weak(values: Any) -> tuple[Any, ...]:
    return tuple(weakref.ref(v) if isinstance(v, torch.Tensor) else v for v in values)


def _strong(values: Any) -> tuple[Any, ...]:
    return tuple((v() if v() is not None else _Gone()) if isinstance(v, weakref.ref) else v for v in values)


def _range(tensors: list[Any]) -> dict[str, Any] | None:
    for tensor in tensors:
        if plain(tensor):
            numbers = tensor.detach().double()
            return {"min": cpu_value(numbers.min()), "max": cpu_value(numbers.max()), "shape": list(tensor.shape)}
    return None
