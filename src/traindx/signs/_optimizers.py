"""What a run's optimizers have in common."""

from __future__ import annotations

from ..record import Run

FEWEST_EMPTIED, NEARLY_ALL = 3, 0.8


def needs_whole_set(run: Run) -> bool:
    """Whether an optimizer (like L-BFGS) uses differences of gradients, which need the same samples at every step."""
    return any("lbfgs" in optimizer.class_name.lower() for optimizer in run.optimizers)


def adaptive(run: Run) -> bool:
    """Whether every known optimizer divides gradients by their own size, so that their scale cancels."""
    return bool(run.optimizers) and all(optimizer.adaptive for optimizer in run.optimizers)


def emptied_steps(run: Run) -> float | None:
    """The number of steps that found no gradient because it had been cleared, if nearly all steps did; else None."""
    heard = sum(optimizer.steps_heard for optimizer in run.optimizers)
    emptied = sum(optimizer.emptied for optimizer in run.optimizers)
    return emptied if emptied >= FEWEST_EMPTIED and emptied >= NEARLY_ALL * heard else None
