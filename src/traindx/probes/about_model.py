"""Facts about a model in memory, in the form of the run record (docs/record.md)."""

from __future__ import annotations

import math
from typing import Any

from torch import nn

NORMS = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)


def model_fact(model: Any) -> dict[str, Any]:
    modules: list[dict[str, Any]] = [
        {"name": name or type(model).__name__, "type": type(module).__name__, "order": order,
         "leaf": next(module.children(), None) is None, "settings": {}}
        for order, (name, module) in enumerate(model.named_modules())
    ]  # fmt: skip
    return {
        "name": type(model).__name__,
        "class": type(model).__name__,
        "modules": modules,
        "elements": sum(p.numel() for p in model.parameters()),
        "trainable": sum(p.numel() for p in model.parameters() if p.requires_grad),
    }


def parameter_facts(model: Any, gradients: dict[str, str]) -> list[dict[str, Any]]:
    """`gradients` maps the names of differentiated parameters to `yes`, `none` or `zero`."""
    owners = {
        f"{name}.{key}" if name else key: module
        for name, module in model.named_modules()
        for key, _ in module.named_parameters(recurse=False)
    }
    return [
        {
            "name": name,
            "module": type(owners[name]).__name__ if name in owners else None,
            "kind": _kind(name, parameter, owners.get(name)),
            "shape": list(parameter.shape),
            "elements": parameter.numel(),
            "dtype": str(parameter.dtype).removeprefix("torch."),
            "requires_grad": parameter.requires_grad,
            "fan_in": math.prod(parameter.shape[1:]) if parameter.dim() >= 2 else None,
            "grad": gradients.get(name),
            "depth": depth,
            "ran": True,
        }
        for depth, (name, parameter) in enumerate(model.named_parameters())
    ]


def _kind(name: str, parameter: Any, owner: Any) -> str:
    if isinstance(owner, NORMS):
        return "norm"
    if isinstance(owner, (nn.Embedding, nn.EmbeddingBag)):
        return "embedding"
    return "bias" if "bias" in name or parameter.dim() < 2 else "weight"
