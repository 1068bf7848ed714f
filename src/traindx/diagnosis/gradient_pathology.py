"""What gradient statistics say: errors, warnings and recommendations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..record import Run
from ..signs import Sign, all_signs, measure_all

if TYPE_CHECKING:
    from ..probes.gradient_tables import GradientStats


@dataclass(frozen=True)
class Pathology:
    """`errors` are critical, `warnings` worth a look; `recommendations` answer both, in the same order."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return not self.errors and not self.warnings


def raised_signs(run: Run, families: tuple[str, ...]) -> list[Sign]:
    """The raised signs of these families (folders of `signs/`), gravest first."""
    units = all_signs()
    found = [
        sign for sign in measure_all(run).raised() if units[sign.id].family in families and sign.severity != "info"
    ]
    return sorted(found, key=lambda sign: (sign.severity != "critical", -sign.level))


def diagnose_gradient_pathology(stats: GradientStats) -> Pathology:
    """From `compute_gradient_stats` to what is wrong and what to do.

    >>> print(traindx.diagnose_gradient_pathology(stats).errors)              # doctest: +SKIP
    """
    found = Pathology()
    for name, numbers in stats.items():
        if numbers["max"] == float("inf") or (numbers["max"] != numbers["max"] and numbers["zero_share"] == 0):
            found.errors.append(f"the gradient of {name} is not finite")
            found.recommendations.append("find the operation with traindx run, which replays the step that broke")
    for sign in raised_signs(stats.run, ("gradients", "wiring")):
        (found.errors if sign.severity == "critical" else found.warnings).append(sign.text)
        remedy = all_signs()[sign.id].remedy
        if remedy:
            found.recommendations.append(remedy)
    return found
