"""What a driver may do at the hook points: change a batch, a setting, the loss, a step; and end the training.

A plain run has no driver (`--max-steps` aside). Probes and treatments bring theirs, in isolated runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


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


class Several(Driver):
    """Several drivers in a row: each gets the result of the one before. The driver that ends the run comes last."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        self.drivers = tuple(drivers)

    def optimizer_made(self, optimizer: Any) -> None:
        for driver in self.drivers:
            driver.optimizer_made(optimizer)

    def scheduler_made(self, scheduler: Any) -> None:
        for driver in self.drivers:
            driver.scheduler_made(scheduler)

    def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
        for driver in self.drivers:
            settings = driver.loader_settings(number, settings)
        return settings

    def model_ready(self, root: Any) -> None:
        for driver in self.drivers:
            driver.model_ready(root)

    def batch(self, loader: Any, batch: Any) -> Any:
        for driver in self.drivers:
            batch = driver.batch(loader, batch)
        return batch

    def at_end(self, loader: Any) -> Any:
        for driver in self.drivers:
            try:
                return driver.at_end(loader)
            except StopIteration:
                continue
        raise StopIteration

    def forward_inputs(self, root: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        for driver in self.drivers:
            args, kwargs = driver.forward_inputs(root, args, kwargs)
        return args, kwargs

    def forward_output(self, root: Any, output: Any) -> Any:
        for driver in self.drivers:
            output = driver.forward_output(root, output)
        return output

    def loss_inputs(self, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
        for driver in self.drivers:
            args, kwargs = driver.loss_inputs(name, args, kwargs)
        return args, kwargs

    def autocast(self, settings: dict[str, Any]) -> dict[str, Any]:
        for driver in self.drivers:
            settings = driver.autocast(settings)
        return settings

    def before_backward(self, loss: Any) -> None:
        for driver in self.drivers:
            driver.before_backward(loss)

    def differentiated(self, loss: Any) -> Any:
        for driver in self.drivers:
            loss = driver.differentiated(loss)
            if loss is None:
                return None
        return loss

    def clip_limit(self, kind: str, limit: Any) -> Any:
        for driver in self.drivers:
            limit = driver.clip_limit(kind, limit)
        return limit

    def before_step(self, optimizer: Any) -> None:
        for driver in self.drivers:
            driver.before_step(optimizer)

    def after_step(self, optimizer: Any) -> None:
        for driver in self.drivers:
            driver.after_step(optimizer)

    def scheduler_step(self, scheduler: Any) -> bool:
        answers = [driver.scheduler_step(scheduler) for driver in self.drivers]  # each is asked
        return all(answers)
