"""What a run's optimizers have in common."""

from __future__ import annotations

from ..record import Run

FEWEST_EMPTIED, NEARLY_ALL = 3, 0.8


def needs_whole_set(run: Run) -> bool:
    """Whether an optimizer draws on differences of gradients, which a batch of its own for each step would spoil."""
    return any("lbfgs" in optimizer.class_name.lower() for optimizer in run.optimizers)


def adaptive(run: Run) -> bool:
    """Whether every known optimizer divides gradients by their own size, so that their scale cancels."""
    return bool(run.optimizers) and all(optimizer.adaptive for optimizer in run.optimizers)


def emptied_steps(run: Run) -> float | None:
    """Steps before which the gradients of the last backward had been cleared, where nearly all are of that kind."""
    heard = sum(optimizer.steps_heard for optimizer in run.optimizers)
    emptied = sum(optimizer.emptied for optimizer in run.optimizers)
    return emptied if emptied >= FEWEST_EMPTIED and emptied >= NEARLY_ALL * heard else None
