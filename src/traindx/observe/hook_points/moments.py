"""The moments of a training: what observers are told of, and what a driver may change there."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

Site = dict[str, Any] | None  # a user's source line, see docs/record.md


class Moments:
    """Every moment as a method. Observers need not inherit from it: they are checked against it."""

    # Announced by the hook points, where torch is called.
    def optimizer_made(self, optimizer: Any, site: Site) -> None: ...
    def scheduler_made(self, scheduler: Any, site: Site) -> None: ...
    def loader_made(self, loader: Any, site: Site) -> None: ...
    def loader_read(self, loader: Any) -> None: ...
    def batch_ready(self, loader: Any, batch: Any, seconds: float) -> None: ...
    def stream_batch(self, loader: Any, number: int, workers: int, batch: Any) -> None: ...
    def forward_begin(self, root: Any, args: Any, kwargs: Any) -> None: ...
    def forward_end(self, root: Any, args: Any, kwargs: Any, output: Any, seconds: float) -> None: ...
    def forward_failed(self, root: Any) -> None: ...
    def backward_begin(self, loss: Any, frame: Any, keep: bool) -> None: ...
    def backward_end(self, loss: Any, seconds: float) -> None: ...
    def step_begin(self, optimizer: Any, closure: bool) -> None: ...
    def step_end(self, optimizer: Any, closure: bool, seconds: float) -> None: ...
    def loss_computed(self, name: str, given: Any, value: Any) -> None: ...
    def loss_failed(self, name: str, given: Any) -> None: ...
    def terms_joined(self, one: Any, other: Any, frame: Any) -> None: ...
    def scalar_read(self, tensor: Any, value: float) -> None: ...
    def compared(self, one: Any, other: Any) -> None: ...
    def grads_cleared(self, owner: Any) -> None: ...
    def clipped(self, kind: str, parameters: Any, threshold: Any, norm: Any, site: Site) -> None: ...
    def loss_scaled(self, scaler: Any, plain: Any, scaled: Any) -> None: ...
    def unscaled(self, scaler: Any, optimizer: Any) -> None: ...
    def scaler_step(self, scaler: Any, optimizer: Any) -> None: ...
    def initialised(self, tensor: Any) -> None: ...
    def state_loaded(self, module: Any, site: Site) -> None: ...
    def dropout_applied(self, p: float, training: bool) -> None: ...
    def reshaped(self, before: Any, after: Any, site: Site, batch_axis: int | None) -> None: ...
    def replicated(self, wrapper: Any, site: Site) -> None: ...
    def reduced(self, tensor: Any) -> None: ...
    def compiled_begin(self, function: Any) -> None: ...
    def compiled_end(self, function: Any, result: Any, seconds: float) -> None: ...

    # Announced for every module inside an outermost one, in a forward for which an observer set `hooks.inner`.
    def module_begin(self, module: Any, args: Any) -> None: ...
    def module_end(self, module: Any, output: Any) -> None: ...

    # Announced while the gradient passes the longest chain of one nonlinearity.
    def chain_gradient(self, end: str, length: int, gradient: Any) -> None: ...

    # Relayed by watchers/graph.py at deep looks: samples of the outputs of some layers, one row per layer.
    def outputs_copied(self, names: Any, parts: Any) -> None: ...

    # Relayed by watchers/updates.py, which knows what one update is in any style of loop.
    def weights_before(self, update: Any) -> None: ...
    def gradients_ready(self, update: Any) -> None: ...
    def weights_after(self, update: Any) -> None: ...

    # Relayed by watchers/forwards.py, when it is known whether a backward went through a forward.
    def forward_trained(self, forward: Any) -> None: ...
    def forward_untrained(self, forward: Any) -> None: ...

    # Relayed by watchers/updates.py: an optimizer stepped inside a compiled function.
    def step_unseen(self, optimizer: Any, loss: Any, seconds: float) -> None: ...

    # A stretch of steps on the fast path is over: watchers get all of them at once.
    def fast_steps_ended(self, fast: Any) -> None: ...


MOMENTS = tuple(name for name in vars(Moments) if not name.startswith("_"))
_OTHERS = ("flush", "finish")  # called by the recording


def check_handlers(observer: Any) -> None:
    """Raises `TypeError` for a method that no moment calls, or that takes other arguments than its moment gives."""
    kind = type(observer)
    for name in getattr(kind, "ONLY_ON_LOOKS", ()):
        if name not in MOMENTS:
            raise TypeError(f"{kind.__module__}: ONLY_ON_LOOKS names {name!r}, which is no moment")
    for name in dir(kind):
        method = getattr(kind, name)
        if name.startswith("_") or not inspect.isfunction(method) or name in _OTHERS:
            continue
        if name not in MOMENTS:
            near = get_close_matches(name, MOMENTS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"{kind.__module__}: {name}() handles no moment{hint}")
        expected = len(inspect.signature(getattr(Moments, name)).parameters)
        parameters = inspect.signature(method).parameters.values()
        taken = len(parameters)
        if taken != expected and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
            raise TypeError(f"{kind.__module__}: {name}() takes {taken - 1} arguments, its moment gives {expected - 1}")


# ── drivers ───────────────────────────────────────────────────────────────────────────────────────
#
# A plain run has no driver (`--max-steps` aside). Probes and treatments bring theirs, in isolated runs.


class StopTraining(BaseException):
    """Raised by a driver to end the user's script as if it had come to its end."""


class Driver:
    """Changes a run at its hook points; every method leaves the run as it is unless it is overridden."""

    # ── what is made ────────────────────────────────────────────────────────────────────────────

    def optimizer_made(self, optimizer: Any) -> None:
        """An optimizer exists now, with the script's settings; nothing has been observed of it yet."""

    def scheduler_made(self, scheduler: Any) -> None:
        """A scheduler exists now. It has set its first learning rate already."""

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `DataLoader`, by name (the data set as `dataset`), that are used instead. `number` counts
        the loaders of the script from 0, as the fact `loaders` of its record does."""
        return settings

    def model_ready(self, root: Any) -> None:
        """An outermost module, before its first forward: its parts may be exchanged and its weights set anew."""

    # ── what flows ──────────────────────────────────────────────────────────────────────────────

    def batch(self, loader: Any, batch: Any) -> Any:
        """The batch that the training gets instead. May raise `StopIteration` to end the epoch early."""
        return batch

    def at_end(self, loader: Any) -> Any:
        """The batch that follows the loader's last one. `StopIteration` is what the script expects."""
        raise StopIteration

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """The arguments that the outermost module gets instead. Its mode may be changed here."""
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        """What the outermost module returns instead."""
        return output

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """The arguments that a standard loss function gets instead."""
        return args, kwargs

    def autocast(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The arguments of `torch.autocast`, by name, that are used instead."""
        return settings

    # ── the step ────────────────────────────────────────────────────────────────────────────────

    def before_backward(self, loss: Any) -> None: ...

    def differentiated(self, loss: Any) -> Any:
        """The tensor that backward differentiates instead; None skips this backward. The record keeps the script's
        own loss, so that runs with and without the change can be compared."""
        return loss

    def clip_limit(self, kind: str, limit: Any) -> Any:
        """The limit that a clipping call gets instead; infinity lifts the clip. `kind`: `norm` or `value`."""
        return limit

    def before_step(self, optimizer: Any) -> None:
        """The gradients are ready; with a scaler they are unscaled."""

    def after_step(self, optimizer: Any) -> None:
        """May raise `StopTraining` to end the script early."""

    def scheduler_step(self, scheduler: Any) -> bool:
        """Whether a scheduler may take the step that the script asks for."""
        return True


class StopAfter(Driver):
    """Ends the script after so many steps (`--max-steps`)."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def after_step(self, optimizer: Any) -> None:
        self._left -= 1
        if self._left <= 0:
            raise StopTraining


class Several(Driver):
    """Several drivers in a row: each gets the result of the one before. The driver that ends the run comes last."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        self.drivers = tuple(drivers)

    def at_end(self, loader: Any) -> Any:
        for driver in self.drivers:
            try:
                return driver.at_end(loader)
            except StopIteration:
                continue
        raise StopIteration

    def differentiated(self, loss: Any) -> Any:
        for driver in self.drivers:
            loss = driver.differentiated(loss)
            if loss is None:
                return None
        return loss

    def scheduler_step(self, scheduler: Any) -> bool:
        answers = [driver.scheduler_step(scheduler) for driver in self.drivers]  # each is asked
        return all(answers)


def _tell_each(name: str) -> Any:
    def tell(self: Several, *given: Any) -> None:
        for driver in self.drivers:
            getattr(driver, name)(*given)

    return tell


def _hand_on(name: str, changing: int) -> Any:
    """Each driver gets what the one before made of the last `changing` arguments."""

    def hand_on(self: Several, *given: Any) -> Any:
        for driver in self.drivers:
            made = getattr(driver, name)(*given)
            given = (*given[:-changing], *(made if changing > 1 else (made,)))
        return given[-changing:] if changing > 1 else given[-1]

    return hand_on


for _name in ("optimizer_made", "scheduler_made", "model_ready", "before_backward", "before_step", "after_step"):
    setattr(Several, _name, _tell_each(_name))
for _name in ("loader_settings", "batch", "forward_output", "autocast", "clip_limit"):
    setattr(Several, _name, _hand_on(_name, 1))
for _name in ("forward_inputs", "loss_inputs"):
    setattr(Several, _name, _hand_on(_name, 2))
