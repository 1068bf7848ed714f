"""Recognises a target that the network itself makes, as `reward + gamma * net(next).max(1)`, and that carries gradient.

Only what is unmistakable counts: a constant is added to a discounted output, and the same parameters stand behind it
and behind the prediction. Two views of one sample, a tied autoencoder or a consistency loss have no discount and no
constant.
"""

from __future__ import annotations

from typing import Any

import torch

from ..metric_queue import cpu_value
from ..tensors import plain
from .graphs import op_name, saved
from .loss_tail import LINEAR, number_of

PASSING = {
    "view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "select", "clone", "alias", "expand", "tocopy", "t",
}  # fmt: skip
DISCOUNTS = (0.5, 1.0)
FAR = 12  # operations between the target and the output that it is made of
WIDE = 4000


def bootstraps(prediction: Any, target: Any) -> bool:
    """Whether `target` is a discounted output of what also makes `prediction`."""
    made, judged = getattr(target, "grad_fn", None), getattr(prediction, "grad_fn", None)
    if made is None or judged is None or not _discounted(made) or _discounted(judged):
        return False
    return bool(_leaves(made) & _leaves(judged))


def _discounted(node: Any) -> bool:
    added = discounted = False
    for _ in range(FAR):
        name = op_name(node)
        inner = [n for n, _ in node.next_functions if n is not None]
        if name in LINEAR or len(inner) != 1:
            return False  # two outputs are compared, or nothing was discounted so far
        if name == "add":
            added = True
        elif name == "mul":
            discounted = discounted or any(map(_discounts, (saved(node, "other"), saved(node, "self"))))
        elif name in ("max", "amax", "gather", "index", "mean"):
            return added and discounted
        elif name not in PASSING:
            return False
        node = inner[0]
        if added and discounted and op_name(node) in LINEAR:
            return True  # of a value function
    return False


def _discounts(factor: Any) -> bool:
    """A number below one, or one for each sample, which is zero where an episode ends."""
    number = number_of(factor)
    if number is None and isinstance(factor, torch.Tensor) and not factor.requires_grad and plain(factor):
        low, number = (cpu_value(each.float()) for each in factor.detach().aminmax())
        if low is None or low < 0:
            return False
    return number is not None and DISCOUNTS[0] < number < DISCOUNTS[1]


def _leaves(start: Any) -> set[int]:
    seen, waiting, found = {start}, [start], set()
    while waiting and len(seen) < WIDE:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.add(id(variable))
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return found
