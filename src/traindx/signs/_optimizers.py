"""Optimizers and their settings, read safely from the `optimizers` fact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..record import Run
from ._facts import entries, facts, number, text

FEWEST_EMPTIED, NEARLY_ALL = 3, 0.8

ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "adafactor", "lamb", "lion", "novograd", "radam", "sophia")


@dataclass(frozen=True)
class Group:
    """One parameter group with its settings."""

    optimizer: str
    index: int
    site: Any
    settings: Mapping[str, Any]

    def setting(self, name: str) -> float | None:
        return number(self.settings.get(name))


def groups(run: Run) -> list[Group]:
    return [
        Group(text(optimizer.get("class")) or "the optimizer", index, optimizer.get("site"), settings)
        for index, optimizer in enumerate(facts(run, "optimizers"))
        for settings in entries(optimizer.get("groups"))
    ]


def needs_whole_set(run: Run) -> bool:
    """Whether an optimizer draws on differences of gradients, which a batch of its own for each step would spoil."""
    return any("lbfgs" in text(optimizer.get("class")).lower() for optimizer in facts(run, "optimizers"))


def adaptive(run: Run) -> bool:
    """Whether every known optimizer divides gradients by their own size, so that their scale cancels."""
    names = [text(optimizer.get("class")).lower() for optimizer in facts(run, "optimizers")]
    return bool(names) and all(any(kind in name for kind in ADAPTIVE) for name in names)


def emptied_steps(run: Run) -> float | None:
    """Steps before which the gradients of the last backward had been cleared, where nearly all are of that kind."""
    heard = sum(number(optimizer.get("steps_heard")) or 0.0 for optimizer in facts(run, "optimizers"))
    emptied = sum(number(optimizer.get("emptied")) or 0.0 for optimizer in facts(run, "optimizers"))
    return emptied if emptied >= FEWEST_EMPTIED and emptied >= NEARLY_ALL * heard else None
