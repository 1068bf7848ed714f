"""Whether the model has an activation that its forward never calls, and is one linear map because of that.

Unused modules are common and harmless. Here there is no other nonlinearity between two or more layers, all of which
ran: the activation was meant to be called.
"""

from __future__ import annotations

from ...record import Run
from ...wording import listed
from .. import questions
from .._base import Missing, Sign, if_raised
from .._linear import wholly_linear
from .._modules import RELU_LIKE

ID = "activation-unused"
QUESTION = questions.CAPACITY
SHOWS = "fault"
# Of hidden layers: a sigmoid or softplus that training does without is often that of `predict`.
ACTIVATIONS = (*RELU_LIKE, "Tanh", "LeakyReLU", "PReLU", "RReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish")
FEWEST = 2  # layers: one is a linear model, whatever stands beside it


def measure(run: Run) -> Sign | Missing:
    if len(run.graphs) != 1 or not run.modules:
        return Missing(ID, "the graph behind the loss was not looked at, or there are several")
    layers = [module for module in run.modules if module.maps]
    unused = [module.name for module in run.modules if module.type in ACTIVATIONS and module.order is None]
    deep = len(layers) >= FEWEST and all(module.order is not None for module in layers)
    level = 1.0 if unused and deep and wholly_linear(run.graphs[0]) else 0.0
    names = listed([f"`{name}`" for name in unused])
    text = f"the forward never calls {names}, and no other nonlinearity lies between {len(layers)} linear layers"
    if not level:
        text = "no activation is defined but unused in a forward that is linear without it"
    return Sign(ID, level, level, text, onset=0 if level else None, severity=if_raised(level, "critical"))
