"""What the causes about initial weights share: the cure and the number that shows the fault."""

from __future__ import annotations

import math

from ..record import Run
from ._facts import scale_against_fan_in, weights
from ._known import number, show

INITIALISE = """\
for module in model.modules():  # once, before the optimizer is built
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")  # std = sqrt(2 / fan_in)
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)
"""


def measured_scale(run: Run, *, smallest: bool) -> str:
    """A sentence on the layer whose initial std is furthest from 1/sqrt(fan_in), in the direction asked for."""
    found = [(scale, param) for param in weights(run) if (scale := scale_against_fan_in(param)) is not None]
    if not found:
        return ""
    scale, param = (min if smallest else max)(found, key=lambda item: item[0])
    std = number(param.get("init_std")) or 0.0
    fan_in = number(param.get("fan_in")) or 1.0
    return (
        f" {param['name']} starts with standard deviation {show(std)}, where "
        f"1/sqrt(fan_in) = 1/sqrt({fan_in:.0f}) = {show(1 / math.sqrt(fan_in))} keeps the signal's size "
        f"({show(scale)} times that)."
    )
