"""What gradient statistics say: errors, warnings and recommendations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..record import Run
from ..signs import Sign, measure_all
from ..signs._measure import all_signs

if TYPE_CHECKING:
    from ..probes.gradient_tables import GradientStats

# What to do about a raised sign, in one sentence.
RECOMMENDED = {
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


def raised_signs(run: Run, families: tuple[str, ...]) -> list[Sign]:
    """The raised signs of these families (folders of `signs/`), gravest first."""
    modules = all_signs()
    found = [
        sign
        for sign in measure_all(run).raised()
        if modules[sign.id].__name__.split(".")[2] in families and sign.severity != "info"
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
        if sign.id in RECOMMENDED:
            found.recommendations.append(RECOMMENDED[sign.id])
    return found
