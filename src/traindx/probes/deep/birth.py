"""The operation and source line that produce the first NaN/Inf, in the forward or the backward pass."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import torch

from ...observe.graph_reading import nonfinite_origin as origin
from ...observe.sites import user_frame
from ...observe.tensors import tensors_in
from ..unchanged import streams_unchanged


def first_nonfinite(model: Any, inputs: Any, targets: Any, loss_fn: Callable[[Any, Any], Any]) -> dict[str, Any] | None:
    """`{"where", "module", "op", "site", …}`, or None if everything is finite.

    `where` is one of input, target, weights, forward, loss, backward.
    """
    args = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    for where, values in (("input", args), ("target", targets)):
        if not all(origin.finite(tensor) for tensor in tensors_in(values)):
            return {"where": where}
    for name, parameter in model.named_parameters():
        if not origin.finite(parameter):
            return {"where": "weights", "module": name}
    with streams_unchanged():
        birth, output = origin.replay(model, args, {}, None)
        if birth is not None and not all(origin.finite(tensor) for tensor in tensors_in(output)):
            return {"where": "forward", **birth}
        return _after_forward(copy.deepcopy(model), args, targets, loss_fn)


def _after_forward(twin: Any, args: Any, targets: Any, loss_fn: Callable[[Any, Any], Any]) -> dict[str, Any] | None:
    with torch.enable_grad():
        loss = loss_fn(twin(*args), targets)
        frame = user_frame(sys._getframe(2))
        if not origin.finite(loss):
            birth = origin.in_graph(loss, "f") or {"op": None, "module": None, "site": None}
            return {"where": "loss", **birth, "site": origin.line_of(birth["op"], frame) if birth["op"] else None}
        gradients = torch.autograd.grad(
            loss, [p for p in twin.parameters() if p.requires_grad], allow_unused=True, retain_graph=True
        )
    names = [name for name, p in twin.named_parameters() if p.requires_grad]
    bad = [n for n, g in zip(names, gradients, strict=True) if g is not None and not origin.finite(g)]
    if not bad:
        return None
    birth = origin.in_graph(loss, "fb") or {"op": None, "module": None, "site": None}
    source = getattr(type(twin), "forward", None)
    site = _line_in(source, birth["op"]) if birth["op"] else None
    return {"where": "backward", **birth, "site": site, "parameters": bad[:20]}


def _line_in(function: Any, op: str) -> dict[str, Any] | None:
    """The line of the module's forward that calls the operation; None if its source cannot be read."""
    code: Any = getattr(function, "__code__", None)
    if code is None:
        return None

    class _Frame:  # `line_of` takes a frame and searches upward from its line
        f_code = code
        f_lineno = max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)

    return origin.line_of(op, _Frame)
