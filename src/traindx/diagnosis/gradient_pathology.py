"""What gradient statistics say: errors, warnings and recommendations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .layer_findings import layer_findings

if TYPE_CHECKING:
    from ..probes.gradient_tables import GradientStats

# What to do about a raised sign, in one sentence.
RECOMMENDED = {
    "nonfinite-gradients": "find the operation with traindx run, which replays the step that broke",
    "nonfinite-outputs": "look for a division, log, sqrt or exp in this layer, and for NaN in its weights and inputs",
    "loss-not-finite": "find the operation with traindx run, which replays the step that broke",
    "gradients-vanish-with-depth": "use ReLU-like activations with He initialisation, norm layers or skip connections",
    "gradients-explode-with-depth": "clip the gradient norm, check initial weights against fan-in, add normalisation",
    "gradient-norm-level": "check the scale of inputs, targets and loss before changing the learning rate",
    "gradient-underflow": "scale the loss (GradScaler) or train in bfloat16 or float32",
    "params-without-gradient": "look for detach(), no_grad(), .data or a part that the loss does not use",
    "params-zero-gradient": "look for dead units, saturated outputs or a part that is multiplied by zero",
    "dead-units": "lower the learning rate, use LeakyReLU or GELU, check biases and input scale",
    "saturated-units": "scale inputs and initial weights down, or use ReLU-like activations",
    "preactivations-large": "scale inputs and initial weights down",
    "activation-variance-shrinks": "initialise by fan-in (He for ReLU, Xavier for tanh) or add normalisation",
    "activation-variance-grows": "initialise by fan-in (He for ReLU, Xavier for tanh) or add normalisation",
}


@dataclass(frozen=True)
class Pathology:
    """`errors` are critical, `warnings` worth a look; `recommendations` answer both, in the same order."""

    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    recommendations: list[str] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return not self.errors and not self.warnings

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


def diagnose_gradient_pathology(stats: GradientStats) -> Pathology:
    """From `compute_gradient_stats` to what is wrong and what to do.

    >>> print(traindx.diagnose_gradient_pathology(stats).errors)              # doctest: +SKIP
    """
    found = Pathology()
    for finding in layer_findings(stats.run):
        (found.errors if finding.severity == "critical" else found.warnings).append(finding.text)
        if finding.id in RECOMMENDED:
            found.recommendations.append(RECOMMENDED[finding.id])
    return found
