"""Models and their modules, from the `models` fact, and the kind of each module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import entries, mapping, number, shape, text


@dataclass(frozen=True)
class Module:
    name: str
    type: str
    order: float | None  # None: never executed
    settings: Mapping[str, Any]
    given: tuple[int, ...] = ()  # the shape of the first input, for modules that take sequences

    @property
    def maps(self) -> bool:
        """Whether this is a linear map with weights."""
        return self.type.startswith(("Linear", "Conv", "Bilinear", "LazyLinear", "LazyConv", "NonDynamicallyQuant"))

    @property
    def batch_norm(self) -> bool:
        return "BatchNorm" in self.type

    @property
    def norm(self) -> bool:
        return "Norm" in self.type

    @property
    def dropout(self) -> bool:
        return "Dropout" in self.type or self.type in ("DropPath", "StochasticDepth")

    @property
    def recurrent(self) -> bool:
        return self.type.removesuffix("Cell") in ("RNN", "LSTM", "GRU")


@dataclass(frozen=True)
class Model:
    name: str
    class_name: str
    site: Site | None
    compiled: bool
    modules: tuple[Module, ...]  # in the order of the record
    elements: float | None


def read_models(found: Iterable[Mapping[str, Any]]) -> tuple[Model, ...]:
    return tuple(
        Model(
            name=text(entry.get("name")),
            class_name=text(entry.get("class")),
            site=Site.of(entry.get("site")),
            compiled=entry.get("compiled") is True,
            modules=tuple(map(_module, entries(entry.get("modules")))),
            elements=number(entry.get("elements")),
        )
        for entry in found
    )


def in_order(models: Iterable[Model]) -> tuple[Module, ...]:
    """Return the modules of all models: first the executed ones, in order of execution."""
    found = [module for model in models for module in model.modules]
    return tuple(sorted(found, key=lambda module: (module.order is None, module.order or 0.0)))


def _module(entry: Mapping[str, Any]) -> Module:
    return Module(
        text(entry.get("name")),
        text(entry.get("type")),
        number(entry.get("order")),
        mapping(entry.get("settings")),
        shape(entry.get("given")) or (),
    )
