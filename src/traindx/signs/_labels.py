"""Shares of the commonest class."""

from __future__ import annotations

from ..record import Run
from ._facts import fact, histogram, text


def majority(counts: dict[str, float]) -> tuple[str, float] | None:
    """(class, share) of the commonest class."""
    total = sum(counts.values())
    if not counts or not 0 < total < 1e300:
        return None
    name = max(counts, key=lambda found: counts[found])
    return name, counts[name] / total


def label_counts(run: Run) -> dict[str, float] | None:
    """Training targets by class; None where targets are no classes (values, tokens)."""
    targets = fact(run, "targets/train")
    kind = text(targets.get("kind"))
    counts = histogram(targets.get("histogram"))
    return counts if counts and kind in ("class ids", "probabilities", "") else None
