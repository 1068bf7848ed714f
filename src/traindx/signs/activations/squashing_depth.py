"""How many sigmoid or tanh layers the gradient must pass.

A sigmoid passes on at most a quarter of the gradient, so three of them cost two decades with ordinary weights; a tanh
passes nearly all of it at the start and counts a third. Recurrent cells have gates of their own and are not counted.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import op_counts
from .. import questions
from .._base import Missing, Sign, ramp
from .._modules import output_module

ID = "squashing-depth"
QUESTION = questions.FLOW
SHOWS = "setting"
SIGMOIDS, TANHS = ("Sigmoid", "Hardsigmoid"), ("Tanh", "Softsign", "Hardtanh")


def measure(run: Run) -> Sign | Missing:
    layers = squashing_layers(run)
    if layers is None:
        return Missing(ID, "neither modules nor the graph were looked at")
    sigmoids, tanhs = layers
    depth = sigmoids + tanhs / 3
    return Sign(
        ID,
        depth,
        ramp(depth, 2.0, 6.0),
        f"the gradient passes {sigmoids} sigmoid and {tanhs} tanh layers",
        values={"sigmoids": sigmoids, "tanhs": tanhs},
    )


def squashing_layers(run: Run) -> tuple[int, int] | None:
    """Sigmoid and tanh layers before the output; None where neither modules nor the graph were looked at."""
    found = [module for module in run.modules if module.order is not None]
    ops = op_counts(run.fact("graph"))
    if not found and not ops:
        return None
    last = output_module(found, (*SIGMOIDS, *TANHS))
    inner = [module for module in found if module is not last]
    sigmoids = sum(module.type in SIGMOIDS for module in inner)
    tanhs = sum(module.type in TANHS for module in inner)
    if not sigmoids and not tanhs and not any(module.recurrent for module in found):
        # Called as functions they are no modules, but the graph holds them.
        sigmoids, tanhs = (int(min(ops.get(name, 0.0), 1e6)) for name in ("sigmoid", "tanh"))
    return sigmoids, tanhs
