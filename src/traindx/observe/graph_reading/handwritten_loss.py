"""Recognises the most common losses written by hand, from the graph behind them, with what they were given.

Squared and absolute errors, `((prediction - target) ** 2).mean()`, cross-entropies that pick the log-probability of the
label, and any other function of prediction minus target. Targets have no place in a graph; they follow from the
differences that it has kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch

from ..baseline_loss import RESIDUAL
from .graphs import inputs_of, nodes, only_input, op_name, out_shape, saved

REDUCING = ("mean", "sum", "nanmean", "nansum")
SHAPING = ("view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "select", "alias", "clone")
LINEAR = ("mul", "div", "neg", "add", "sub", "stack", "cat")
PICKING = ("index", "gather")
TINY = 1e-30  # a probability whose logarithm is finite
FAR = 8  # operations between the loss and what it was computed from, at the most
WIDE = 16  # terms of a loss that are followed
NEAR = 64  # operations among which a difference is looked for


@dataclass(frozen=True)
class HandMade:
    """A loss, or a term of it, by the name of the standard function that computes the same."""

    name: str
    prediction: Any
    target: Any
    value: Any  # what the standard function would have returned; of an unknown function, the mean square


def recognise(loss: Any, outputs: Iterable[Any]) -> HandMade | None:
    """`outputs` are what models returned in this step: a prediction is one of them, or was kept by the graph.

    Of several terms, the first that is one of the standard ones; else some function of a difference.
    """
    start = getattr(loss, "grad_fn", None)
    level = [(start, False)] if start is not None else []
    for _ in range(FAR):
        following: list[tuple[Any, bool]] = []
        for node, reduced in level:
            name, inner = op_name(node), inputs_of(node)
            if reduced and (found := _standard(node, name, outputs)) is not None:
                return found
            if name in LINEAR or name in SHAPING or name in REDUCING:
                following += [(each, reduced or name in REDUCING) for each in inner]
        level = following[:WIDE]
    return _residual(loss, outputs)


def _standard(node: Any, name: str, outputs: Iterable[Any]) -> HandMade | None:
    if name in ("abs", "mul", "square") or (name == "pow" and saved(node, "exponent") in (2, 2.0)):
        return _error(node, "l1_loss" if name == "abs" else "mse_loss", outputs)
    if name in PICKING:
        return _likelihood(node, lambda by: _scores(by, outputs))
    inner = only_input(node)
    if name == "log" and inner is not None and op_name(inner) in PICKING:
        return _likelihood(inner, _log_probabilities)
    return None


def _residual(loss: Any, outputs: Iterable[Any]) -> HandMade | None:
    """Any function of prediction minus target: Huber, a quantile loss, one that weights its samples.

    A target is a tensor: `1 - p`, as in `log(1 - p)`, is the probability of the other class.
    """
    for node in nodes(loss, NEAR):
        if any(len(by.next_functions) < 2 for by in inputs_of(node)):
            continue
        found = _error(node, RESIDUAL, outputs)
        if found is not None:
            return found
    return None


def _error(node: Any, called: str, outputs: Iterable[Any]) -> HandMade | None:
    inner = set(inputs_of(node))
    difference = saved(node, "self")
    if len(inner) != 1 or not isinstance(difference, torch.Tensor):
        return None
    (by,) = inner
    if op_name(by) not in ("sub", "rsub") or len(inputs_of(by)) != 1:
        return None  # of two things that are both learned
    prediction = _made_by(inputs_of(by)[0], outputs)
    if prediction is None or prediction.shape != difference.shape:
        return None
    first = by.next_functions[0][0] is not None and op_name(by) == "sub"
    given, difference = prediction.detach(), difference.detach()
    error = difference.abs() if called == "l1_loss" else difference.square()
    target = given - difference if first else given + difference
    # A prediction that is not finite says nothing about the target.
    target = torch.where(torch.isfinite(given), target, torch.zeros_like(target))
    return HandMade(called, prediction, target, error.mean())


def _likelihood(node: Any, scores_of: Callable[[Any], Any]) -> HandMade | None:
    """The scores, or probabilities, of the labels were picked out of all."""
    if op_name(node) == "gather":
        labels = saved(node, "index")
    else:
        indices = [i for i in saved(node, "indices") or () if isinstance(i, torch.Tensor)]
        labels = indices[-1] if len(indices) == 2 else None
    by = only_input(node)
    shape = out_shape(by) if by is not None else None
    if labels is None or shape is None or len(shape) != 2 or labels.numel() != shape[0] or labels.is_floating_point():
        return None
    scores = scores_of(by)
    if scores is None or tuple(scores.shape) != shape:
        return None
    labels = labels.detach().reshape(-1)
    value = torch.nn.functional.cross_entropy(scores.detach().float(), labels.clamp(0, shape[1] - 1))
    return HandMade("cross_entropy", scores, labels, value)


def _scores(node: Any, outputs: Iterable[Any]) -> Any:
    """Logits, or log-probabilities, which are as good: normalising them again changes nothing."""
    if op_name(node) == "logsoftmax":
        return saved(node, "result")
    if op_name(node) != "sub":
        return None
    for inner in inputs_of(node):
        if op_name(inner) == "logsumexp" and saved(inner, "self") is not None:
            return saved(inner, "self")
        if (powers := _under(inner, "log", "sum", "exp")) is not None:
            return saved(powers, "result").log()
    return _made_by(inputs_of(node)[0], outputs)


def _log_probabilities(node: Any) -> Any:
    """The logarithm of a softmax, or of powers that were divided by their sum."""
    if op_name(node) == "softmax":
        found = saved(node, "result")
    elif op_name(node) == "div" and saved(node, "self") is not None and saved(node, "other") is not None:
        found = saved(node, "self") / saved(node, "other")
    else:
        return None
    return found.detach().clamp_min(TINY).log() if found is not None else None


def _under(node: Any, *names: str) -> Any | None:
    """The last of a chain of operations with these names that begins here."""
    for place, name in enumerate(names):
        node = only_input(node) if place else node
        if node is None or op_name(node) != name:
            return None
    return node


def _made_by(node: Any, outputs: Iterable[Any]) -> Any:
    """The tensor that this operation returned, if it is among `outputs`, also in another shape."""
    shape = out_shape(node)
    for _ in range(4):
        for tensor in outputs:
            if tensor.grad_fn is node and shape is not None and tensor.numel() == torch.Size(shape).numel():
                return tensor if tuple(tensor.shape) == shape else tensor.reshape(shape)
        node = only_input(node) if op_name(node) in SHAPING else None
        if node is None:
            return None
    return None
