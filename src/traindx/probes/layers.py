"""Gradients and activations of every layer on a few batches: the tables behind `traindx gradients|activations`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import nn

from ..observe.tensors import plain, tensors_in
from ..record import Run, RunBuilder
from .unchanged import unchanged

RELUS = (nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.PReLU, nn.Threshold, nn.ELU, nn.GELU, nn.SiLU)
LIMITS: dict[type, tuple[float, float]] = {
    nn.Sigmoid: (0.0, 1.0), nn.Tanh: (-1.0, 1.0), nn.Softsign: (-1.0, 1.0), nn.Hardtanh: (-1.0, 1.0),
    nn.Hardsigmoid: (0.0, 1.0),
}  # fmt: skip
NEAR = 0.03  # of the range: within it an output counts as saturated (docs/record.md)
LARGE = 3.0


def split(batch: Any) -> tuple[tuple[Any, ...], Any]:
    """(inputs, targets) of a batch: a pair, or a sequence whose last element is the target."""
    if isinstance(batch, dict):
        keys = list(batch)
        target = next((k for k in ("target", "targets", "labels", "label", "y") if k in batch), None)
        if target is None:
            return tuple(batch[k] for k in keys), None
        return tuple(batch[k] for k in keys if k != target), batch[target]
    if isinstance(batch, (tuple, list)) and len(batch) >= 2:
        return tuple(batch[:-1]), batch[-1]
    return (batch[0] if isinstance(batch, (tuple, list)) else batch,), None


def gradient_run(model: Any, batches: Iterable[Any], loss_fn: Callable[..., Any], source: str = "model") -> Run:
    """One backward a batch; a step of the run is a batch. Nothing is updated, everything is put back."""
    names = [name for name, p in model.named_parameters() if p.requires_grad]
    parameters = [p for p in model.parameters() if p.requires_grad]
    if not parameters:
        raise ValueError("no parameter of the model requires a gradient")
    rows: dict[str, list[list[float]]] = {"grad_norm": [], "grad_rms": [], "grad_zero": [], "weight_norm": []}
    losses: list[float] = []
    totals: list[float] = []
    for batch in batches:
        inputs, targets = split(batch)
        with unchanged(model), torch.enable_grad():
            output = model(*inputs)
            loss = loss_fn(output, targets) if targets is not None else loss_fn(output)
            gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        losses.append(float(loss.detach()))
        for key, values in _of_gradients(gradients, parameters).items():
            rows[key].append(values)
        totals.append(float(np.sqrt(np.nansum(np.square(rows["grad_norm"][-1])))))
    if not losses:
        raise ValueError("there was no batch to look at")
    steps = np.arange(len(losses))
    builder = RunBuilder(source, "observed").series("loss/train", steps, losses).series("grad_norm", steps, totals)
    for key, table in rows.items():
        builder.layers(key, steps, names, table)
    return builder.fact("params", _parameters(model, rows["grad_norm"])).fact("models", [_model(model)]).build()


def _of_gradients(gradients: Any, parameters: list[Any]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {"grad_norm": [], "grad_rms": [], "grad_zero": [], "weight_norm": []}
    for gradient, parameter in zip(gradients, parameters, strict=True):
        found["weight_norm"].append(float(parameter.detach().double().norm()))
        if gradient is None:
            for key in ("grad_norm", "grad_rms", "grad_zero"):
                found[key].append(float("nan"))
            continue
        gradient = gradient.detach().to_dense().double() if gradient.is_sparse else gradient.detach().double()
        found["grad_norm"].append(float(gradient.norm()))
        found["grad_rms"].append(float(gradient.square().mean().sqrt()))
        found["grad_zero"].append(float((gradient == 0).double().mean()))
    return found


def _model(model: Any) -> dict[str, Any]:
    modules = [
        {"name": name, "type": type(m).__name__, "order": i, "leaf": not list(m.children()), "settings": {}}
        for i, (name, m) in enumerate(model.named_modules())
    ]
    elements = sum(p.numel() for p in model.parameters())
    return {"name": type(model).__name__, "class": type(model).__name__, "modules": modules, "elements": elements}


def _parameters(model: Any, norms: list[list[float]]) -> list[dict[str, Any]]:
    trained = [name for name, p in model.named_parameters() if p.requires_grad]
    ever = dict(zip(trained, np.nan_to_num(np.array(norms), nan=-1.0).max(axis=0), strict=True))
    owners = {f"{name}.{k}" if name else k: m for name, m in model.named_modules() for k in dict(m.named_parameters(recurse=False))}
    found = []
    for depth, (name, p) in enumerate(model.named_parameters()):
        norm = ever.get(name)
        grad = None if norm is None else "none" if norm < 0 else "zero" if norm == 0 else "yes"
        kind = "weight" if p.dim() >= 2 else "bias"
        found.append(
            {
                "name": name, "module": type(owners[name]).__name__ if name in owners else None, "kind": kind,
                "shape": list(p.shape), "elements": p.numel(), "requires_grad": p.requires_grad, "grad": grad,
                "depth": depth, "ran": True,
            }
        )  # fmt: skip
    return found


def activation_run(model: Any, batches: Iterable[Any], source: str = "model") -> Run:
    """Forwards in the model's present mode, without gradients; everything is put back."""
    tables: dict[str, list[dict[str, float]]] = {}
    alive: dict[str, Any] = {}
    count = 0
    for batch in batches:
        row: dict[str, dict[str, float]] = {}
        handles = [
            module.register_forward_hook(lambda m, a, o, name=name: _note(row, alive, name, m, a, o))
            for name, module in model.named_modules()
            if not list(module.children())
        ]
        try:
            with unchanged(model), torch.no_grad():
                model(*split(batch)[0])
        finally:
            for handle in handles:
                handle.remove()
        count += 1
        for quantity, values in row.items():
            tables.setdefault(quantity, [{} for _ in range(count - 1)]).append(values)
        for known in tables.values():
            known.extend({} for _ in range(count - len(known)))
    if not count:
        raise ValueError("there was no batch to look at")
    builder = RunBuilder(source, "observed").fact("models", [_model(model)])
    for quantity, rows in tables.items():
        names = list(dict.fromkeys(name for values in rows for name in values))
        builder.layers(
            quantity, np.arange(count), names, [[values.get(name, np.nan) for name in names] for values in rows]
        )
    return builder.build()


def _note(row: dict[str, dict[str, float]], alive: dict[str, Any], name: str, module: Any, args: Any, out: Any) -> None:
    value = next(tensors_in(out), None)
    if value is None or not plain(value) or not value.is_floating_point():
        return
    value = value.detach().double()

    def put(quantity: str, number: Any) -> None:
        row.setdefault(quantity, {})[name] = float(number)

    finite = torch.isfinite(value)
    put("nonfinite", (~finite).double().mean())
    put("act_mean", value.mean())
    put("act_std", value.std(correction=0))
    put("act_zero", (value == 0).double().mean())
    put("act_max", value.abs().max())
    for kind, (low, high) in LIMITS.items():
        if isinstance(module, kind):
            margin = NEAR * (high - low)
            put("act_saturated", ((value > high - margin) | (value < low + margin)).double().mean())
            given = next(tensors_in(args), None)
            if given is not None:
                put("preact_large", (given.detach().abs() > LARGE).double().mean())
    if isinstance(module, RELUS) and value.dim() >= 2:
        axis = 1 if value.dim() >= 4 else value.dim() - 1
        now = (value > 0).transpose(0, axis).flatten(1).any(1)
        known = alive.get(name)
        alive[name] = now if known is None or known.shape != now.shape else known | now
        put("act_dead", 1.0 - alive[name].double().mean())
