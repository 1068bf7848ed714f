"""What gradient statistics say: errors, warnings and recommendations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ..record import Run
from .layer_findings import layer_findings


class Measured(Protocol):
    """What `compute_gradient_stats` returns: its tables stand in a run."""

    @property
    def run(self) -> Run: ...


@dataclass(frozen=True)
class Pathology:
    """`errors` are critical, `warnings` worth a look; `recommendations` answer both, in the same order."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return not self.errors and not self.warnings

    def __str__(self) -> str:
        if self.healthy:
            return "Nothing is wrong with these gradients."
        kinds = (("error", self.errors), ("warning", self.warnings), ("do", self.recommendations))
        return "\n".join(f"{kind}: {text}" for kind, texts in kinds for text in dict.fromkeys(texts))

    def __getitem__(self, name: str) -> list[str]:
        """Also as a mapping: `["errors"]`, `["warnings"]`, `["recommendations"]`."""
        if name not in self.keys():
            raise KeyError(name)
        return list(getattr(self, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    @staticmethod
    def keys() -> tuple[str, ...]:
        return ("errors", "warnings", "recommendations")


def diagnose_gradient_pathology(stats: Measured) -> Pathology:
    """From `compute_gradient_stats` to what is wrong and what to do.

    >>> print(traindx.diagnose_gradient_pathology(stats).errors)              # doctest: +SKIP
    """
    found = Pathology()
    for finding in layer_findings(stats.run):
        (found.errors if finding.severity == "critical" else found.warnings).append(finding.text)
        if finding.remedy:
            found.recommendations.append(finding.remedy)
    return found
