"""Replaces parts of a model before its first forward, without new parameters that the optimizer would lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...record import Run

RECTIFIERS = ("ReLU", "LeakyReLU", "GELU", "SiLU", "ELU", "SELU", "ReLU6", "Mish", "Hardswish", "PReLU", "CELU")
SQUASHING = ("Sigmoid", "Tanh", "Softsign", "Hardtanh", "Hardsigmoid")
WEIGHTED = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LazyLinear")


def output_layers(run: Run) -> list[str]:
    """The modules that make the models' outputs; an activation there belongs to the loss, not to a hidden layer. If the
    record does not name one, it is the module that is executed last."""
    found = []
    for model, facts in zip(run.models, run.entries("models"), strict=True):
        executed = [module for module in model.modules if module.order is not None]
        last = max(executed, key=lambda module: module.order or 0.0).name if executed else ""
        found.append(str(facts.get("output") or last))
    return [name for name in found if name]


def types_of(run: Run) -> list[str]:
    return [module.type for model in run.models for module in model.modules]


def named(name: str, wanted: Sequence[str]) -> bool:
    """Whether one of the record's names means this module. With several models, they begin with the model's name."""
    return any(each == name or each.endswith(f".{name}") for each in wanted)


def swapped(root: Any, kinds: Sequence[str], keep: Sequence[str], make: Callable[[Any], Any]) -> int:
    """Replace each module of these types, except those in `keep`, by `make(old)`. Returns how many were replaced."""
    count = 0
    for name, module in list(root.named_modules()):
        if not name or type(module).__name__ not in kinds or named(name, keep):
            continue
        parent_name, _, child = name.rpartition(".")
        new = make(module)
        if new is not None:
            setattr(root.get_submodule(parent_name), child, new.train(module.training))
            count += 1
    return count


def hidden_layers(root: Any, keep: Sequence[str]) -> list[Any]:
    """The layers with weights, except the output layer. If that is unknown, the last one is left out."""
    found = [(name, module) for name, module in root.named_modules() if type(module).__name__ in WEIGHTED]
    hidden = [module for name, module in found if not named(name, keep)]
    return hidden if len(hidden) < len(found) else hidden[:-1]


def initialise(root: Any, gain: float) -> None:
    """Draw the weights from a normal distribution with std gain/sqrt(fan_in), and set the biases to zero. The script's
    random state does not change."""
    import torch

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for module in root.modules():
            weight = getattr(module, "weight", None)
            if type(module).__name__ in WEIGHTED and weight is not None and weight.dim() > 1:
                fan_in = weight[0].numel()
                weight.normal_(0.0, gain / max(1, fan_in) ** 0.5)
                if module.bias is not None:
                    module.bias.zero_()


def normalised(output: Any) -> Any:
    """Layer norm without parameters: over the features of a linear layer, all axes but the batch of a convolution."""
    import torch

    # Three axes are usually (batch, time, features).
    return torch.nn.functional.layer_norm(output, output.shape[1:] if output.dim() > 3 else output.shape[-1:])
