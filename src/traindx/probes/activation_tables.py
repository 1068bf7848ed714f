"""Statistics of every layer's output on a few batches: size, zeros, dead units, saturation.

Forward hooks see the outputs of modules. A dispatch mode sees nonlinearities that the code calls as functions, and
those inside exported programs and TorchScript.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..observe.tensors import plain, tensors_in
from ..record import Run, RunBuilder
from .about_model import model_fact
from .batches import split
from .unchanged import unchanged

RECTIFYING = ("relu", "leaky_relu", "threshold", "elu", "gelu", "silu", "relu6")
LIMITS = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "hardtanh": (-1.0, 1.0), "hardsigmoid": (0.0, 1.0)}
NEAR = 0.03  # an output this close to a limit, as a share of the range, counts as saturated (docs/record.md)
LARGE = 3.0  # the input of a saturating function counts as large above this


class _Table:
    """One row per batch: {quantity: {layer: number}}."""

    def __init__(self) -> None:
        self.rows: list[dict[str, dict[str, float]]] = []
        self._alive: dict[str, Any] = {}

    def begin(self) -> None:
        self.rows.append({})

    def put(self, quantity: str, layer: str, number: Any) -> None:
        self.rows[-1].setdefault(quantity, {})[layer] = float(number)

    def output(self, layer: str, value: Any) -> None:
        value = value.detach().double()
        self.put("nonfinite", layer, (~torch.isfinite(value)).double().mean())
        self.put("act_mean", layer, value.mean())
        self.put("act_std", layer, value.std(correction=0))
        self.put("act_zero", layer, (value == 0).double().mean())
        self.put("act_max", layer, value.abs().max())

    def nonlinearity(self, layer: str, op: str, given: Any, value: Any) -> None:
        value, given = value.detach(), given.detach()
        if op in LIMITS:
            low, high = LIMITS[op]
            margin = NEAR * (high - low)
            near = (value > high - margin) | (value < low + margin)
            self.put("act_saturated", layer, near.double().mean())
            self.put("preact_large", layer, (given.abs() > LARGE).double().mean())
        elif value.dim() >= 2:
            axis = 1 if value.dim() >= 4 else value.dim() - 1
            now = (value > 0).transpose(0, axis).flatten(1).any(1)
            known = self._alive.get(layer)
            self._alive[layer] = now if known is None or known.shape != now.shape else known | now
            self.put("act_dead", layer, 1.0 - self._alive[layer].double().mean())

    def run(self, source: str, model: Any) -> Run:
        builder = RunBuilder(source, "observed").fact("models", [model_fact(model)])
        steps = np.arange(len(self.rows))
        for quantity in dict.fromkeys(q for row in self.rows for q in row):
            by_batch = [row.get(quantity, {}) for row in self.rows]
            layers = list(dict.fromkeys(name for values in by_batch for name in values))
            table = [[values.get(name, np.nan) for name in layers] for values in by_batch]
            builder.layers(quantity, steps, layers, table)
        return builder.build()


class _Nonlinearities(TorchDispatchMode):
    """Records each nonlinear operation under the leaf module that calls it.

    An operation outside leaf modules gets a name of its own: the enclosing module, the operation and a number."""

    def __init__(self, table: _Table) -> None:
        super().__init__()
        self._table = table
        self._counts: dict[str, int] = {}
        self._busy = False
        self.inside: list[tuple[str, bool]] = []  # (module, is a leaf)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        op = str(func).split(".")[1].rstrip("_") if "." in str(func) else ""
        if not self._busy and (op in RECTIFYING or op in LIMITS) and plain(out) and args:
            self._busy = True
            try:
                self._note(op, args[0], out)
            finally:
                self._busy = False
        return out

    def _note(self, op: str, given: Any, out: Any) -> None:
        name, leaf = self.inside[-1] if self.inside else ("", False)
        if not leaf:
            stem = f"{name}.{op}" if name else op
            number = self._counts[stem] = self._counts.get(stem, 0) + 1
            name = f"{stem}#{number}"
            self._table.output(name, out)
        self._table.nonlinearity(name, op, given, out)


@torch.no_grad()
def activation_run(model: Any, batches: Iterable[Any], source: str = "model") -> Run:
    """One forward pass per batch, in the model's current mode. Each batch is one step of the run."""
    table = _Table()
    for batch in batches:
        table.begin()
        mode = _Nonlinearities(table)
        handles = _hooked(model, table, mode)
        try:
            with unchanged(model), mode:
                model(*split(batch)[0])
        finally:
            for handle in handles:
                handle.remove()
    if not table.rows:
        raise ValueError("no batch was given")
    return table.run(source, model)


def _hooked(model: Any, table: _Table, mode: _Nonlinearities) -> list[Any]:
    handles = []
    for name, module in model.named_modules():
        if isinstance(module, (torch.jit.ScriptModule, torch.fx.GraphModule)):
            continue  # its submodules are never called through hooks
        leaf = next(module.children(), None) is None

        def before(_m: Any, _a: Any, name: str = name, leaf: bool = leaf) -> None:
            mode.inside.append((name, leaf and bool(name)))

        def after(_m: Any, _a: Any, out: Any, name: str = name, leaf: bool = leaf) -> None:
            mode.inside.pop()
            value = next(tensors_in(out), None)
            if leaf and name and value is not None and plain(value) and value.is_floating_point():
                table.output(name, value)

        handles += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
    return handles
