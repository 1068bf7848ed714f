"""Reads the fact `deep`: looks at single steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..record import Run
from ..record.values import mapping


def looks_at(run: Run, name: str) -> list[tuple[int, Mapping[str, Any]]]:
    """(step, finding) of every look of that name, in order."""
    found = []
    for look in run.entries("deep"):
        finding, step = mapping(look.get(name)), look.get("step")
        if finding and isinstance(step, int):
            found.append((step, finding))
    return sorted(found, key=lambda pair: pair[0])
