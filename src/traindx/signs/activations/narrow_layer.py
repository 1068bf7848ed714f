"""How narrow the narrowest hidden layer is against what has to pass through it.

A bottleneck of one or two units between wide inputs and wide or nonlinear outputs lets little through, whatever the
rest of the model. Width is compared with the larger of the model's input and output: two units are enough for two
features. A model without any hidden layer has no bottleneck; what it cannot represent does not show in its sizes.
"""

from __future__ import annotations

from ...record import Run
from .._base import Missing, Sign, ramp
from .._curve import adversarial
from .._params import Parameter, parameters
from .._words import grave, num

ID = "narrow-layer"
ENOUGH = 8.0  # units: from here on width alone is no obstacle to the tasks people start with


def _feeds(earlier: Parameter, later: Parameter) -> bool:
    width, taken = earlier.shape[0], later.shape[1]
    return taken == width or (len(earlier.shape) > 2 and width > 0 and taken % width == 0)


def measure(run: Run) -> Sign | Missing:
    ran = [p for p in parameters(run) if p.matrix and p.ran and p.trains is not False]
    ran = [p for p in ran if p.module.startswith(("Linear", "Conv"))]  # not positions, scales or memories
    if len(ran) < 2 or any(p.depth is None for p in ran):
        return Missing(ID, "fewer than two layers were seen to run in order")
    layers = sorted(ran, key=lambda p: p.depth)
    # Hidden is what a later layer takes in, as it is or (images) spread out over positions: heads end a branch.
    hidden = [p for i, p in enumerate(layers) if any(_feeds(p, later) for later in layers[i + 1 :])]
    if adversarial(run) or not hidden:
        return Missing(ID, "networks train against each other, or there is no hidden layer")
    narrowest = min(hidden, key=lambda p: p.shape[0])
    width, wanted = float(narrowest.shape[0]), float(max(layers[0].shape[1], layers[-1].shape[0]))
    level = ramp(width, ENOUGH, 2.0, log=True) * ramp(wanted / max(width, 1.0), 1.0, 3.0)
    return Sign(
        ID,
        width,
        level,
        f"the narrowest hidden layer, {narrowest.name}, has {num(width)} units between {num(layers[0].shape[1])} "
        f"inputs and {num(layers[-1].shape[0])} outputs",
        onset=0 if level >= 0.5 else None,
        severity=grave(level, "warning"),
        values={"layer": narrowest.name, "width": width},
    )
