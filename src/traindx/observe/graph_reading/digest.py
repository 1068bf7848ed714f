"""A digest of the autograd graph: what a person would want to know about it (docs/record.md, `graph`)."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import torch

from ..metric_queue import cpu_value
from .graphs import inputs_of, only_input, op_name, out_shape, saved
from .loss_tail import (
    LINEAR,
    LOSSES,
    all_pairs_picked,
    divided_by,
    errors_cancel,
    lowers_likelihood,
    negated,
    signs_of_losses,
    tail_of,
)

# Operations that may lie between two linear maps without making the model more expressive.
TRANSPARENT = {
    "view", "unsafeview", "reshapealias", "t", "transpose", "permute", "clone", "squeeze", "unsqueeze", "expand",
    "contiguous", "tocopy", "alias", "select", "slice", "nativedropout", "asstrided",
}  # fmt: skip
BATCH_NORMS = {"nativebatchnorm", "cudnnbatchnorm", "mkldnnbatchnorm"}  # shift and scale a channel, all samples alike
AVERAGING = {"mean", "avgpool1d", "avgpool2d", "adaptiveavgpool2d", "mkldnnadaptiveavgpool2d"}  # linear, and no layers
NONLINEAR = {
    "relu", "leakyrelu", "elu", "gelu", "silu", "mish", "softplus", "sigmoid", "tanh", "hardtanh", "hardsigmoid",
    "hardswish", "prelu", "rrelu", "celu", "selu", "threshold", "softmax", "logsoftmax", "logsigmoid", "sin", "cos",
    "exp", "pow", "abs", "max", "clamp", "clampmin", "maximum", "softsign", "softshrink", "glu", "erf", "log", "sqrt",
    "rsqrt", "nativelayernorm", "nativegroupnorm",
    "maxpool2dwithindices", "adaptivemaxpool2d", "mkldnnrnnlayer", "cudnnrnn", "thnnfusedlstmcell", "where",
    "maskedfill", "embedding", "rmsnorm",
}  # fmt: skip
PASSING = TRANSPARENT | {"clamp", "clampmin", "mul", "div", "add"}  # what leaves probabilities much as they were
ELEMENTWISE = {"sub", "add", "mul", "div", "rsub", "maximum", "minimum", "where", "mseloss", "l1loss", "smoothl1loss"}


def digest(found: list[Any], read_saved: bool = True) -> dict[str, Any]:
    """`found`: the nodes behind a loss, nearest first."""
    ops = Counter(op_name(node) for node in found)
    tail = tail_of(found)
    chain = _linear_chain(found)
    return {
        "ops": dict(ops),
        "tail": [op_name(node) for node in tail],
        "negated": negated(tail),
        "loss_signs": signs_of_losses(found),
        "divided_by": divided_by(tail),
        "linear_maps": sum(ops[name] for name in LINEAR),
        "nonlinearities": sum(ops[name] for name in NONLINEAR),
        "linear_chain": len(chain),
        "linear_chain_shapes": [list(shape or ()) for shape in map(out_shape, chain)],
        "softmaxes": _softmaxes(found),
        "attention": attention(found) if read_saved else [],
        "broadcasts": [*_broadcasts(found[:40]), *all_pairs_picked(found[:40])],
        "lowers_likelihood": lowers_likelihood(tail),
        "errors_cancel": errors_cancel(tail),
        "view_permutes": _view_permutes(found),
        "last_activation": _last_activation(found),
        "penalised": sum(map(_penalises, found)),
        "custom": [name for name in ops if name[:1].isupper() and name != "AccumulateGrad"],
    }


def _linear_chain(found: list[Any]) -> list[Any]:
    """The longest run of linear maps with nothing nonlinear between them, nearest to the loss first.

    A product with a fixed matrix (a graph's adjacency) is linear too, but not a layer. A product of two computed
    tensors is neither.
    """
    longest: list[Any] = []
    known: dict[Any, list[Any]] = {}
    maps = (n for n in found if op_name(n) in LINEAR and not _of_two_results(n))
    for node in sorted(maps, key=lambda n: n._sequence_nr()):
        before = _linear_before(node)
        own = [] if _with_fixed_matrix(node) else [node]
        known[node] = own + (known.get(before, []) if before is not None else [])
        if len(known[node]) > len(longest):
            longest = known[node]
    return longest


def _with_fixed_matrix(node: Any) -> bool:
    """Whether one side of the product is data and the other no weight."""
    sides = _sides(node)
    return len(sides) == 1 and not _is_weight(sides[0])


def _of_two_results(node: Any) -> bool:
    """Whether both sides of the product were computed, as in a covariance."""
    sides = _sides(node)
    return len(sides) == 2 and not any(map(_is_weight, sides))


def _sides(node: Any) -> list[Any]:
    """The sides of a product that are no data."""
    product = op_name(node) in ("mm", "addmm")
    return [following for following, _ in node.next_functions[-2:] if product and following is not None]


def _is_weight(side: Any) -> bool:
    """A leaf, as it is or turned; whatever is done to it otherwise makes it a result."""
    at, hops = side, 0
    while op_name(at) in TRANSPARENT and len(at.next_functions) == 1 and hops < 4:
        at, hops = at.next_functions[0][0], hops + 1
    return at is None or hasattr(at, "variable")


def _linear_before(node: Any) -> Any | None:
    """The linear map that feeds this one directly, if one does."""
    for following, _ in node.next_functions:
        at = following
        hops = 0
        while at is not None and hops < 12:
            name = op_name(at)
            if name in LINEAR:
                return None if _of_two_results(at) else at
            inner = [n for n, _ in at.next_functions if n is not None and not hasattr(n, "variable")]
            # An addition of a bias has one branch that is not a parameter; dropout multiplies by a mask.
            if name not in TRANSPARENT | BATCH_NORMS | AVERAGING | {"add", "mul"} or len(inner) != 1:
                break
            if name == "mul" and saved(at, "other") is None:
                break
            at = inner[0]
            hops += 1
    return None


def _softmaxes(found: list[Any]) -> list[dict[str, Any]]:
    inside_losses = {
        following for node in found if op_name(node) in LOSSES for following, _ in node.next_functions if following
    }
    misused = over_queries(found)
    return [
        {
            **_softmax(node),
            "in_loss": node in inside_losses,
            "of_softmax": _of_softmax(node),
            **({"over_queries": True} if node in misused else {}),
        }
        for node in found
        if op_name(node) in ("softmax", "logsoftmax") or _normalises(node)
    ][:64]


def _normalises(node: Any) -> bool:
    """Whether this is the normalisation of a hand-written softmax. For square scores, either axis is fine."""
    scores = saved(node, "self") if op_name(node) == "logsumexp" else None
    return scores is not None and scores.dim() == 2 and scores.shape[0] != scores.shape[1]


def _of_softmax(node: Any) -> bool:
    """Whether a softmax is applied to what a softmax made, with no layer between."""
    shape = out_shape(node)
    at = inputs_of(node)
    for _ in range(8):
        if any(op_name(n) == "softmax" and out_shape(n) == shape for n in at):
            return True
        # Only what changes one tensor in place of another: sums of several things are no longer probabilities.
        at = [n for m in at if op_name(m) in PASSING for n, _ in m.next_functions if n is not None]
    return False


def _softmax(node: Any) -> dict[str, Any]:
    scores = saved(node, "self") if op_name(node) == "logsumexp" else None
    shape = tuple(scores.shape) if scores is not None else out_shape(node) or ()
    dim = saved(node, "dim")
    if isinstance(dim, tuple | list):  # over several axes: no softmax
        dim = dim[0] if len(dim) == 1 else None
    if isinstance(dim, int):
        dim = dim - 2**64 if dim >= 2**63 else dim
        dim = dim + len(shape) if dim < 0 else dim
    return {"dim": dim, "shape": list(shape), "log": op_name(node) != "softmax"}


def _broadcasts(near: list[Any]) -> list[dict[str, Any]]:
    """Elementwise operations near the loss whose result is larger than the prediction that went in."""
    meant = {"unsqueeze", "expand", "view", "index", "select", "reshapealias", "unsafeview"}
    seen = []
    for node in near:
        if op_name(node) not in ELEMENTWISE:
            continue
        out = out_shape(node)
        inputs = [(n, out_shape(n)) for n, _ in node.next_functions if n is not None]
        for by, shape in inputs:
            name = op_name(by)
            if out is None or not shape or name == "AccumulateGrad" or (name in meant and not _of_layer(by)):
                continue
            larger = len(out) >= len(shape) and prod(out) > prod(shape) > 1
            if larger and len(inputs) == 1:
                seen.append({"op": op_name(node), "shapes": [list(shape)], "out": list(out)})
    return seen


def _penalises(node: Any) -> bool:
    """Whether it measures the size of a weight: a penalty that the script adds to its loss."""
    sized = op_name(node) in ("pow", "abs", "linalgvectornorm", "norm", "square")
    return sized and any(hasattr(by, "variable") for by, _ in node.next_functions)


def _of_layer(view: Any) -> bool:
    """Whether it is a linear layer's own view of its product: of inputs with more than two axes."""
    inner = view.next_functions[0][0] if len(view.next_functions) == 1 else None
    return inner is not None and op_name(inner) in LINEAR


def _view_permutes(found: list[Any]) -> list[dict[str, Any]]:
    """Views whose sizes are the old ones in another order: a transpose was meant."""
    seen = []
    for node in found:
        if op_name(node) not in ("view", "unsafeview", "reshapealias"):
            continue
        before = saved(node, "self_sym_sizes")
        after = out_shape(node)
        if before is not None and after is not None and permuted(tuple(int(n) for n in before), after):
            seen.append({"from": [int(n) for n in before], "to": list(after)})
    return seen[:8]


def permuted(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Same sizes in another order, sizes of 1 left aside."""
    old, new = [n for n in before if n != 1], [n for n in after if n != 1]
    return len(old) > 1 and old != new and sorted(old) == sorted(new)


def _last_activation(found: list[Any]) -> str | None:
    """The nonlinearity nearest to the loss, if no linear map stands between."""
    node = found[0] if found else None
    for _ in range(24):
        if node is None:
            return None
        name = op_name(node)
        if name in LINEAR:
            return None
        if name in ("sigmoid", "tanh", "relu", "softmax", "logsoftmax", "softplus", "hardtanh", "hardsigmoid", "exp"):
            return name
        inner = [n for n, _ in node.next_functions if n is not None and not hasattr(n, "variable")]
        node = inner[0] if inner else None
    return None


def answering(found: list[Any]) -> set[Any]:
    """The nodes between the loss and the last linear maps: what makes the answer, and what judges it."""
    reached: set[Any] = set()
    waiting = found[:1]
    while waiting:
        node = waiting.pop()
        if node in reached or op_name(node) in LINEAR:
            continue
        reached.add(node)
        waiting += inputs_of(node)
    return reached


# ── attention: which positions get weight, and over which axis the weights sum to 1 ───────────────

# What hands weights on entry by entry, and keeps their last two axes where they are.
_KEEPING = {"view", "unsafeview", "reshapealias", "expand", "clone", "tocopy", "nativedropout", "mul"}
_SCALING = _KEEPING | {"div", "add", "sub", "maskedfill", "where"}  # what may lie between a product and a softmax of it
_FAR = 8  # operations between them


def over_queries(found: list[Any]) -> set[Any]:
    """Softmaxes of square scores whose weights are summed over another axis than the one over which they sum to 1.

    `softmax(q @ k.T) @ v` sums over the keys, so the weights of a query have to sum to 1 over the keys. Weights that
    are renormalised on the way, as in slot attention, or that are no scores of pairs, are left out.
    """
    misused = set()
    for node in found:
        if op_name(node) == "bmm":
            softmax, turned = _back_to(node.next_functions[0][0], "softmax", _KEEPING)
            shape = (out_shape(softmax) or ()) if softmax is not None else ()
            if len(shape) < 3 or shape[-1] != shape[-2] or _back_to(only_input(softmax), "bmm", _SCALING)[0] is None:
                continue
            queries = -1 if turned else -2
            if _axis(saved(softmax, "dim"), len(shape)) == len(shape) + queries:
                misused.add(softmax)
    return misused


def _back_to(node: Any, wanted: str, through: set[str]) -> tuple[Any, bool]:
    """The operation that made this, if only these lie between; and whether the last two axes were exchanged."""
    turned = False
    for _ in range(_FAR):
        if node is None or op_name(node) == wanted:
            return node, turned
        if op_name(node) == "transpose":
            size = len(out_shape(node) or ())
            axes = {_axis(saved(node, name), size) for name in ("dim0", "dim1")}
            if axes != {size - 1, size - 2}:
                return None, False
            turned = not turned
        elif op_name(node) not in through:
            return None, False
        node = only_input(node)
    return None, False


def _axis(saved_number: Any, axes: int) -> int | None:
    """The axis behind a number that torch keeps without its sign."""
    if not isinstance(saved_number, int) or not axes:
        return None
    return (saved_number - 2**64 if saved_number >= 2**63 else saved_number) % axes


def attention(found: list[Any]) -> list[dict[str, Any]]:
    """Square softmaxes and fused attention: how much weight lies above the diagonal, on what comes later."""
    seen: list[dict[str, Any]] = []
    for node in found:
        name = op_name(node)
        if name in ("softmax", "safesoftmax"):  # the latter is what torch's own attention uses when it drops out
            shape = out_shape(node) or ()
            if len(shape) < 3 or shape[-1] != shape[-2] or shape[-1] < 4:
                continue
            result = saved(node, "result")
            if result is None:
                continue
            part = result.detach().reshape(-1, shape[-2], shape[-1])[:64].float()
            future = cpu_value(part.triu(1).sum() / part.sum().clamp_min(1e-30))
            if future is not None:  # an accelerator is not waited for
                seen.append({"seen_future_weight": future, "length": shape[-1], "causal": future < 1e-6})
        elif name.startswith("scaleddotproduct"):
            causal = bool(saved(node, "is_causal"))
            mask = saved(node, "attn_mask")
            if not causal and isinstance(mask, torch.Tensor) and mask.shape[-1] == mask.shape[-2]:
                above = mask.detach().reshape(-1, mask.shape[-2], mask.shape[-1])[0].float().triu(1)
                rows, columns = torch.triu_indices(*above.shape, offset=1)
                causal = bool(cpu_value((above[rows, columns] < -1e4).all()))
            shape = out_shape(node) or (0,)
            length = shape[-2] if len(shape) >= 2 else 0
            future, masked = 0.0 if causal else None, isinstance(mask, torch.Tensor)
            seen.append({"seen_future_weight": future, "length": length, "causal": causal, "masked": masked})
        if len(seen) >= 16:
            break
    return seen
