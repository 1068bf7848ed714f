"""The data loaders of a run, from the `loaders` fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import number, text, truth


@dataclass(frozen=True)
class Loader:
    """One data loader. None means that the record does not say."""

    role: str  # train, eval or ''
    dataset: str
    size: float | None
    batches: float | None
    batch_size: float | None
    sampler: str
    shuffled: bool | None
    workers: float | None
    site: Site | None
    facts: Mapping[str, Any]


def read_loaders(found: Iterable[Mapping[str, Any]]) -> tuple[Loader, ...]:
    return tuple(
        Loader(
            role=text(entry.get("role")),
            dataset=text(entry.get("dataset")),
            size=number(entry.get("size")),
            batches=number(entry.get("batches")),
            batch_size=number(entry.get("batch_size")),
            sampler=text(entry.get("sampler")),
            shuffled=truth(entry.get("shuffled")),
            workers=number(entry.get("workers")),
            site=Site.of(entry.get("site")),
            facts=entry,
        )
        for entry in found
    )
