"""Initial weight scales of the layers that start from scratch."""

from __future__ import annotations

from ..record import Run
from ..record.parameters import Parameter


def fresh_gains(run: Run) -> list[tuple[float, Parameter]]:
    """(init_std x sqrt(fan_in), weight) of fresh, trainable weight matrices that ran, in order of execution.

    Constant ones are left out: zero-initialised branches and heads are healthy, and symmetry is another sign.
    """
    return [
        (gain, p)
        for p in run.parameters
        if p.matrix and p.ran and p.trains and not p.loaded and not p.constant
        if (gain := p.gain) is not None and gain > 0
    ]


def normalised(run: Run) -> bool:
    """Whether norm layers stand in for the scale of the weights: at least one to two layers with weights."""
    found = run.modules
    return 2 * sum(module.norm for module in found) >= max(1, sum(module.maps for module in found))
