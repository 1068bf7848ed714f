"""All families; importing this package registers them."""

from . import finish, gradients, healthy, healthy_tasks, level, machine, motion, numbers, overfit, validation

__all__ = [
    "finish",
    "gradients",
    "healthy",
    "healthy_tasks",
    "level",
    "machine",
    "motion",
    "numbers",
    "overfit",
    "validation",
]
