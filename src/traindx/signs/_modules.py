"""The modules of a run's models, read safely from the `models` fact, and which kind each is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..record import Run
from ._facts import entries, facts, mapping, number, shape, text

RELU_LIKE = ("ReLU", "ReLU6", "Threshold")
SQUASHING = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid", "LogSigmoid")


@dataclass(frozen=True)
class Module:
    name: str
    type: str
    order: float | None  # None: never executed
    settings: Mapping[str, Any]
    given: tuple[int, ...] = ()  # the shape of its first input, of modules that take sequences

    @property
    def maps(self) -> bool:
        """A linear map with weights of its own."""
        return self.type.startswith(("Linear", "Conv", "Bilinear", "LazyLinear", "LazyConv", "NonDynamicallyQuant"))

    @property
    def batch_norm(self) -> bool:
        return "BatchNorm" in self.type

    @property
    def norm(self) -> bool:
        return "Norm" in self.type

    @property
    def dropout(self) -> bool:
        return "Dropout" in self.type or self.type in ("DropPath", "StochasticDepth")

    @property
    def recurrent(self) -> bool:
        return self.type.removesuffix("Cell") in ("RNN", "LSTM", "GRU")


def modules(run: Run) -> list[Module]:
    """Every module of every model, executed ones first and in order of execution."""
    found = []
    for model in facts(run, "models"):
        for entry in entries(model.get("modules")):
            found.append(
                Module(
                    text(entry.get("name")),
                    text(entry.get("type")),
                    number(entry.get("order")),
                    mapping(entry.get("settings")),
                    shape(entry.get("given")) or (),
                )
            )
    return sorted(found, key=lambda module: (module.order is None, module.order or 0.0))


def mode_matters(run: Run) -> bool | None:
    """Whether train and eval mode differ for this model at all; None where the record does not say.

    Layer, group and instance norm behave alike in both, and so does dropout with p = 0.
    """
    seen = mapping(run.facts.get("modes")).get("mode_layers")
    if isinstance(seen, (list, tuple)) and "F.dropout" in seen:
        return True
    found = modules(run)
    if found:
        return any(
            module.batch_norm or (module.dropout and number(module.settings.get("p")) != 0.0) for module in found
        )
    if isinstance(seen, (list, tuple)):
        return any("Dropout" in str(name) or "BatchNorm" in str(name) for name in seen)
    return None


def output_module(found: list[Module], kinds: tuple[str, ...]) -> Module | None:
    """The last activation of these kinds after which no layer with weights runs: it makes the model's output."""
    executed = [module for module in found if module.order is not None]
    last_map = max((i for i, module in enumerate(executed) if module.maps or module.recurrent), default=-1)
    after = [module for module in executed[last_map + 1 :] if module.type in kinds]
    return after[-1] if after else None
