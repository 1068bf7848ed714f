"""Statistics of every layer on a few batches, as a `Run`: outputs (size, zeros, dead units, limits) and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..observe.model_walk import CallNames
from ..observe.tensors import plain, tensors_in
from ..observe.watchers.structure import fan_in_of, kind_of
from ..record import Run, RunBuilder
from .unchanged import unchanged

# ── batches ───────────────────────────────────────────────────────────────────────────────────────

TARGETS = ("target", "targets", "labels", "label", "y")


def split(batch: Any) -> tuple[tuple[Any, ...], Any]:
    """(inputs, target). The target is the last element of a sequence, or the item of a mapping with a target's name."""
    if isinstance(batch, Mapping):
        target = next((key for key in TARGETS if key in batch), None)
        inputs = tuple(value for key, value in batch.items() if key != target)
        return inputs, None if target is None else batch[target]
    if isinstance(batch, (tuple, list)):
        if len(batch) >= 2:
            return tuple(batch[:-1]), batch[-1]
        return tuple(batch), None
    return (batch,), None


def loss_of(output: Any, target: Any, loss_fn: Any) -> Any:
    """The loss. Without a target, `loss_fn` gets only the output."""
    return loss_fn(output) if target is None else loss_fn(output, target)


# ── facts about a model in memory, in the form of the record (docs/record.md) ─────────────────────


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
            "kind": kind_of(name, owners.get(name, model), parameter),
            "shape": list(parameter.shape),
            "elements": parameter.numel(),
            "dtype": str(parameter.dtype).removeprefix("torch."),
            "requires_grad": parameter.requires_grad,
            "fan_in": fan_in_of(parameter, owners.get(name, model), name),
            "grad": gradients.get(name),
            "depth": depth,
            "ran": True,
        }
        for depth, (name, parameter) in enumerate(model.named_parameters())
    ]


# ── activations ───────────────────────────────────────────────────────────────────────────────────
#
# Forward hooks see the outputs of modules. A dispatch mode sees nonlinearities that the code calls as functions, and
# those inside exported programs and TorchScript.

RECTIFYING = ("relu", "leaky_relu", "threshold", "elu", "gelu", "silu", "relu6")
LIMITS = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0), "hardtanh": (-1.0, 1.0), "hardsigmoid": (0.0, 1.0)}
NEAR = 0.03  # an output this close to a limit, as a share of the range, counts as saturated (docs/record.md)
LARGE = 3.0  # the input of a saturating function counts as large above this


class _Table:
    """One row per batch: {quantity: {layer: number}}."""

    def __init__(self) -> None:
        self.rows: list[dict[str, dict[str, float]]] = []
        self._alive: dict[str, Any] = {}
        self.calls = CallNames()

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
        if not torch.isfinite(value).all():
            return  # NaN is neither off nor at a limit: nothing is known of these units
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
    table.calls.begin()
    for name, module in model.named_modules():
        if isinstance(module, (torch.jit.ScriptModule, torch.fx.GraphModule)):
            continue  # its submodules are never called through hooks
        leaf = next(module.children(), None) is None

        def before(m: Any, _a: Any, name: str = name, leaf: bool = leaf and bool(name)) -> None:
            mode.inside.append((table.calls.name(name, m) if leaf else name, leaf))

        def after(_m: Any, _a: Any, out: Any, leaf: bool = leaf) -> None:
            name, _ = mode.inside.pop()
            value = next(tensors_in(out), None)
            if leaf and name and value is not None and plain(value) and value.is_floating_point():
                table.output(name, value)

        handles += [module.register_forward_pre_hook(before), module.register_forward_hook(after)]
    return handles


# ── gradients ─────────────────────────────────────────────────────────────────────────────────────

PRESENCE = ("none", "zero", "yes")  # in rising order: over several batches, the highest counts
QUANTITIES = ("grad_norm", "grad_rms", "grad_zero", "weight_norm")


def gradient_run(model: Any, batches: Iterable[Any], loss_fn: Callable[..., Any], source: str = "model") -> Run:
    """One backward per batch, in the model's current mode. Each batch is one step of the run."""
    trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if not trained:
        raise ValueError("no parameter of the model requires a gradient")
    names, parameters = [name for name, _ in trained], [p for _, p in trained]
    losses: list[float] = []
    rows: list[list[list[float]]] = []
    presence: dict[str, str] = {}
    for batch in batches:
        inputs, target = split(batch)
        with unchanged(model), torch.enable_grad():
            loss = loss_of(model(*inputs), target, loss_fn)
            gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        losses.append(float(loss.detach()))
        rows.append([_numbers(g, p) for g, p in zip(gradients, parameters, strict=True)])
        for name, gradient in zip(names, gradients, strict=True):
            presence[name] = max(presence.get(name, "none"), _presence(gradient), key=PRESENCE.index)
    if not losses:
        raise ValueError("no batch was given")
    table = np.array(rows)  # batch × parameter × quantity
    steps = np.arange(len(losses))
    builder = RunBuilder(source, "observed").series("loss/train", steps, losses)
    builder.series("grad_norm", steps, np.sqrt(np.nansum(table[:, :, 0] ** 2, axis=1)))
    for i, quantity in enumerate(QUANTITIES):
        builder.layers(quantity, steps, names, table[:, :, i])
    return builder.fact("params", parameter_facts(model, presence)).fact("models", [model_fact(model)]).build()


def _numbers(gradient: Any, parameter: Any) -> list[float]:
    weight = float(parameter.detach().double().norm())
    if gradient is None:
        return [float("nan")] * 3 + [weight]
    dense = (gradient.to_dense() if gradient.is_sparse else gradient).detach().double()
    return [float(dense.norm()), float(dense.square().mean().sqrt()), float((dense == 0).double().mean()), weight]


def _presence(gradient: Any) -> str:
    if gradient is None:
        return "none"
    values = (gradient.to_dense() if gradient.is_sparse else gradient).detach()
    return "yes" if bool((values != 0).any()) else "zero"  # NaN counts as "yes"


class GradientStats(Mapping[str, Mapping[str, float]]):
    """For each parameter: mean, std, min and max of the gradient norm over batches, and the share of zeros."""

    def __init__(self, run: Run) -> None:
        self.run = run
        norms, zeros = run.layers("grad_norm"), run.layers("grad_zero")
        self._stats = {
            name: {
                "mean": float(column.mean()),
                "std": float(column.std()),
                "min": float(column.min()),
                "max": float(column.max()),
                "zero_share": float(np.mean(zeros.column(name))),
            }
            for name in norms.layers
            for column in [norms.column(name)]
        }

    def __repr__(self) -> str:
        return f"<GradientStats of {self.run.source}: {len(self)} parameters>"

    def __str__(self) -> str:
        """A table with one line per parameter."""
        width = max([len("parameter"), *map(len, self._stats)])
        columns = ("mean", "std", "min", "max", "zero_share")
        lines = [f"{'parameter':<{width}}" + "".join(f"  {column:>10}" for column in columns)]
        for name, stats in self._stats.items():
            lines.append(f"{name:<{width}}" + "".join(f"  {stats[column]:>10.4g}" for column in columns))
        return "\n".join(lines)

    def __getitem__(self, name: str) -> Mapping[str, float]:
        return self._stats[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stats)

    def __len__(self) -> int:
        return len(self._stats)


def compute_gradient_stats(
    model: Any, loader: Iterable[Any], criterion: Callable[..., Any], num_batches: int = 10
) -> GradientStats:
    """Gradient norms of each parameter over the loader's first batches. The model does not change.

    >>> stats = traindx.compute_gradient_stats(model, loader, criterion)      # doctest: +SKIP
    >>> stats["fc1.weight"]["mean"]                                           # doctest: +SKIP
    """
    return GradientStats(gradient_run(model, islice(loader, num_batches), criterion, type(model).__name__))
