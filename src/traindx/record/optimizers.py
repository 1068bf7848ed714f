"""Optimizers and their settings, from the `optimizers` fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import entries, number, text

# Optimizers that divide the gradient by its own size, so that its scale has no effect on their steps.
ADAPTIVE = ("adam", "rmsprop", "adagrad", "adadelta", "adafactor", "lamb", "lion", "novograd", "sophia")


def is_adaptive(class_name: str) -> bool:
    return any(kind in class_name.lower() for kind in ADAPTIVE)


@dataclass(frozen=True)
class Group:
    """One parameter group with its settings."""

    optimizer: str  # the class of its optimizer
    index: int  # of its optimizer
    site: Site | None
    settings: Mapping[str, Any]

    def setting(self, name: str) -> float | None:
        return number(self.settings.get(name))


@dataclass(frozen=True)
class Optimizer:
    class_name: str  # '' if the record does not say
    index: int
    site: Site | None
    groups: tuple[Group, ...]
    steps: float | None
    steps_heard: float  # steps for which it is known whether the gradients were cleared before
    emptied: float  # those of them before which the gradients were cleared
    facts: Mapping[str, Any]

    @property
    def adaptive(self) -> bool:
        return is_adaptive(self.class_name)


def read_optimizers(found: Iterable[Mapping[str, Any]]) -> tuple[Optimizer, ...]:
    return tuple(_optimizer(entry, index) for index, entry in enumerate(found))


def _optimizer(entry: Mapping[str, Any], index: int) -> Optimizer:
    name, site = text(entry.get("class")), Site.of(entry.get("site"))
    return Optimizer(
        class_name=name,
        index=index,
        site=site,
        groups=tuple(Group(name or "the optimizer", index, site, group) for group in entries(entry.get("groups"))),
        steps=number(entry.get("steps")),
        steps_heard=number(entry.get("steps_heard")) or 0.0,
        emptied=number(entry.get("emptied")) or 0.0,
        facts=entry,
    )
