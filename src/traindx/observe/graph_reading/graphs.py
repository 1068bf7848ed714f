"""Walks the autograd graph behind a loss. The graph shows what was computed in any style of code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MAX_NODES = 20_000

# Operations with a weight: the names under which they save the other operand, and its place among the inputs.
DATA_IN = {
    "mm": [("self", 0)],
    "addmm": [("mat1", 1)],
    "bmm": [("self", 0)],
    "linear": [("input", 0)],
    "convolution": [("input", 0)],
}

# What a weight may pass on its way into a product.
TURNING = {"t", "transpose", "permute", "unsafeview", "view", "expand", "unsqueeze"}


def nodes(loss: Any, limit: int = MAX_NODES) -> Iterator[Any]:
    """Every node behind `loss`, nearest first (breadth first), at most `limit`."""
    start = getattr(loss, "grad_fn", None)
    if start is None:
        return
    seen = {start}
    queue = [start]
    at = 0
    while at < len(queue) and at < limit:
        node = queue[at]
        at += 1
        yield node
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                queue.append(following)


def made_before(forward: Any, tensor: Any) -> bool:
    """Whether the tensor has a graph that is older than this forward, such as the loss of the training step before."""
    node = tensor.grad_fn
    return node is not None and (forward is None or node._sequence_nr() < forward.sequence)


def leaves(loss: Any, limit: int = MAX_NODES) -> Iterator[Any]:
    """The tensors that the loss's gradient will reach."""
    for node in nodes(loss, limit):
        variable = getattr(node, "variable", None)
        if variable is not None:
            yield variable


def factors(found: list[Any]) -> Iterator[Any]:
    """Leaves that a product takes as they are, or turned: weights. Others are positions, pixels or latent codes."""
    for node in found:
        name = op_name(node)
        if name not in DATA_IN:
            continue
        # The first operand of a convolution is what it looks at: a picture that is itself fitted is no weight.
        for following, _ in node.next_functions[name in ("convolution", "linear") :]:
            while following is not None and op_name(following) in TURNING:
                following = following.next_functions[0][0]
            variable = getattr(following, "variable", None)
            if variable is not None:
                yield variable


def data_in(loss: Any) -> Any | None:
    """What enters the first map of a model written with bare tensors: what a product saved that has no history."""
    found = None
    for node in nodes(loss):
        for attribute, place in DATA_IN.get(op_name(node), ()):
            following = node.next_functions[place][0] if place < len(node.next_functions) else None
            value = saved(node, attribute)
            if following is None and value is not None and value.dim() >= 2 and not value.requires_grad:
                found = value  # the last one found lies farthest from the loss
    return found


def inputs_of(node: Any) -> list[Any]:
    """The operations whose results went into this one; constants have none."""
    return [following for following, _ in node.next_functions if following is not None]


def only_input(node: Any) -> Any | None:
    """What went into it, where that is one result and perhaps constants or a mask."""
    results = inputs_of(node)
    return results[0] if len(results) == 1 else None


def op_name(node: Any) -> str:
    """`AddmmBackward0` → `addmm`; a custom autograd function keeps its own name."""
    name: str = node.name().rsplit("::", 1)[-1]
    if name.endswith("Backward"):  # a Python autograd.Function
        return name[: -len("Backward")]
    head, found, _ = name.partition("Backward")
    return head.lower() if found else name


def out_shape(node: Any) -> tuple[int, ...] | None:
    """The shape of what the operation returned."""
    metadata = getattr(node, "_input_metadata", None)
    if not metadata:
        return None
    try:
        return tuple(int(n) for n in metadata[0].shape)
    except (TypeError, ValueError, RuntimeError):
        return None


def saved(node: Any, name: str) -> Any:
    """A value that the node saved for its backward; None where there is none or it was changed since."""
    try:
        return getattr(node, "_saved_" + name, None)
    except RuntimeError:
        return None
