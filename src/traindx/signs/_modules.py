"""The roles of a model's modules: which depend on train/eval mode, which one makes the output."""

from __future__ import annotations

from collections.abc import Sequence

from ..record import Run
from ..record.models import Module
from ..record.values import number

RELU_LIKE = ("ReLU", "ReLU6", "Threshold")
SQUASHING = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid", "LogSigmoid")


def mode_matters(run: Run) -> bool | None:
    """Whether train and eval mode differ for this model at all; None where the record does not say.

    Layer, group and instance norm behave alike in both, and so does dropout with p = 0.
    """
    seen = run.fact("modes").get("mode_layers")
    if isinstance(seen, (list, tuple)) and "F.dropout" in seen:
        return True
    found = run.modules
    if found:
        return any(
            module.batch_norm or (module.dropout and number(module.settings.get("p")) != 0.0) for module in found
        )
    if isinstance(seen, (list, tuple)):
        return any("Dropout" in str(name) or "BatchNorm" in str(name) for name in seen)
    return None


def output_module(found: Sequence[Module], kinds: tuple[str, ...]) -> Module | None:
    """The last activation of these kinds after which no layer with weights runs: it makes the model's output."""
    executed = [module for module in found if module.order is not None]
    last_map = max((i for i, module in enumerate(executed) if module.maps or module.recurrent), default=-1)
    after = [module for module in executed[last_map + 1 :] if module.type in kinds]
    return after[-1] if after else None
