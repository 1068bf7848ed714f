"""The last steps of a computation, as the graph shows them: from what the model said to the loss."""

from __future__ import annotations

from typing import Any

import torch

from ..metric_queue import cpu_value
from ..tensors import plain
from .graphs import inputs_of, leaves, only_input, op_name, out_shape, saved

# Linear maps that own a weight.
LINEAR = {"addmm", "mm", "linear", "convolution", "mkldnnconvolution", "thnnconv2d", "slowconv2d", "addbmm"}
LOSSES = {
    "nllloss", "nllloss2d", "mseloss", "l1loss", "smoothl1loss", "huberloss", "binarycrossentropy",
    "binarycrossentropywithlogits", "kldiv", "ctcloss",
}  # fmt: skip
PICKING = {"index", "gather", "diagonal", "squeeze", "unsqueeze", "view", "reshapealias", "select", "slice"}
SUMMING = {
    "add", "sum", "mean", "stack", "cat", "view", "reshapealias", "squeeze", "unsqueeze", "select", "clone", "tocopy",
    "unsafeview", "expand", "alias",
}  # fmt: skip
REARRANGING = {
    "squeeze", "view", "reshapealias", "unsafeview", "unsqueeze", "select", "slice", "transpose", "t", "permute",
    "alias", "clone", "tocopy", "expand", "index", "gather",
}  # fmt: skip
MOST_TERMS = 64  # nodes between the total and its terms that are looked at
REDUCING = {"mean", "sum", "div", "mul", "neg"}


def tail_of(found: list[Any]) -> list[Any]:
    """From the loss towards the model, as long as there is one way to go."""
    tail: list[Any] = []
    node = found[0] if found else None
    while node is not None and len(tail) < 12 and op_name(node) not in LINEAR:
        tail.append(node)
        node = only_input(node)
    return tail


def maker_of(node: Any) -> str:
    """The operation that made a tensor, past those that only rearrange its values; empty where that is too far."""
    for _ in range(MOST_TERMS):
        following = only_input(node)
        if op_name(node) not in REARRANGING or following is None:
            return op_name(node)
        node = following
    return ""


def normalised(node: Any) -> Any | None:
    """The scores that were divided by their sum before their logarithm was taken, as Keras does with probabilities."""
    for name in ("log", "clamp"):
        if op_name(node) == name:
            node = only_input(node) or node
    scores = saved(node, "self") if op_name(node) == "div" else None
    return scores if isinstance(scores, torch.Tensor) and scores.dim() > 1 else None


def negated(tail: list[Any]) -> bool:
    """A standard loss whose sign was turned before backward."""
    sign = 1
    for node in tail:
        name = op_name(node)
        if name in LOSSES:
            return sign < 0
        if name == "neg":
            sign = -sign
        elif name == "mul":
            factor = number_of(saved(node, "other"))
            sign = -sign if factor is not None and factor < 0 else sign
        elif name == "rsub":
            sign = -sign
    return False


def signs_of_losses(found: list[Any]) -> dict[str, int]:
    """For each standard loss function behind the total, the sign with which it enters it: 1, -1, or 0 if both occur.

    Only sums, differences and products with a number are followed; losses behind any other operation are left out.
    """
    signs: dict[str, int] = {}
    queue = [(found[0], 1)] if found else []
    for _ in range(MOST_TERMS):
        if not queue:
            break
        node, sign = queue.pop()
        name = op_name(node)
        if name in LOSSES:
            signs[name] = sign if signs.get(name, sign) == sign else 0
            continue
        for place, (following, _) in enumerate(node.next_functions):
            way = _sign_of_operand(node, name, place)
            if following is not None and way:
                queue.append((following, sign * way))
    return signs


def _sign_of_operand(node: Any, name: str, place: int) -> int:
    """Which way this operand moves the result; 0 if that is not known."""
    if name in SUMMING:
        return 1
    if name in ("sub", "rsub"):
        alpha = number_of(saved(node, "alpha"))
        turned = place == (1 if name == "sub" else 0)
        return (-1 if turned else 1) * (-1 if alpha is not None and alpha < 0 else 1)
    if name == "neg":
        return -1
    if name in ("mul", "div"):
        factor = number_of(saved(node, "other")) if place == 0 else number_of(saved(node, "self"))
        factors = inputs_of(node)
        if factor is None:  # a factor that is a plain number is not saved as an operand of its own
            return 1 if len(factors) == 1 and saved(node, "other") is None else 0
        return (factor > 0) - (factor < 0)
    return 0


def divided_by(tail: list[Any]) -> float | None:
    for node in tail:
        name = op_name(node)
        if name == "div":
            return number_of(saved(node, "other"))
        if name == "mul":
            factor = number_of(saved(node, "other"))
            return 1.0 / factor if factor else None
    return None


def number_of(value: Any) -> float | None:
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, torch.Tensor) and value.dim() == 0 and not value.requires_grad:
        return cpu_value(value)
    return None


def lowers_likelihood(tail: list[Any]) -> bool:
    """The log-probabilities of labels, picked by hand, whose sign was not turned: the loss falls as they do."""
    sign, picked = 1, False
    for node in tail:
        name = op_name(node)
        if name == "logsoftmax":
            return picked and sign > 0
        if name in ("mul", "div"):
            factor = number_of(saved(node, "other"))
            if factor is None and out_shape(node) != ():
                return False  # weighed by a tensor, such as rewards, which may have any sign
            sign = -sign if factor is not None and factor < 0 else sign
        elif name in ("neg", "rsub"):
            sign = -sign
        elif name not in PICKING | REDUCING:
            return False
        picked = picked or name in ("index", "gather", "diagonal")
    return False


def errors_cancel(tail: list[Any]) -> bool:
    """The absolute value of the mean error, where the mean absolute error was meant: errors of opposite sign cancel."""
    sized = False
    for node in tail:
        name = op_name(node)
        if name in ("abs", "pow") and out_shape(node) == ():
            sized = True
        elif name in ("mean", "sum"):
            differing = node.next_functions[0][0]
            shape = out_shape(differing) if differing is not None else None
            # A mean over one axis is as good as any other quantity; only one over all samples forgets them.
            return bool(sized and shape and out_shape(node) == () and op_name(differing) in ("sub", "rsub"))
        elif name not in ("mul", "div", "neg"):
            return False
    return False


def all_pairs_picked(near: list[Any]) -> list[dict[str, Any]]:
    """`scores[:, labels]`, which picks the labels of the whole batch for every row."""
    seen = []
    for node in near:
        chosen = saved(node, "indices") if op_name(node) == "index" else None
        given = saved(node, "self_sym_sizes")
        if chosen is None or given is None or len(given) != 2 or len(chosen) != 2:
            continue
        if chosen[0] is not None or chosen[1] is None:
            continue
        rows, labels = int(given[0]), chosen[1]
        if rows > 2 and labels.dim() == 1 and labels.numel() == rows and not labels.dtype.is_floating_point:
            seen.append({"op": "index", "shapes": [[rows, int(given[1])]], "out": [rows, rows]})
    return seen


PASSING = {
    "view", "unsafeview", "reshapealias", "squeeze", "unsqueeze", "select", "clone", "alias", "expand", "tocopy", "t",
}  # fmt: skip
DISCOUNTS = (0.5, 1.0)
FAR = 12  # operations between the target and the output that it is made of
WIDE = 4000


# ── a target that the network itself makes, as `reward + gamma * net(next).max(1)`, and that carries gradient ──────
#
# Only what is unmistakable counts: a constant is added to a discounted output, and the same parameters stand behind it
# and behind the prediction. Two views of one sample, a tied autoencoder or a consistency loss have no discount and no
# constant.


def bootstraps(prediction: Any, target: Any) -> bool:
    """Whether `target` is a discounted output of what also makes `prediction`."""
    made, judged = getattr(target, "grad_fn", None), getattr(prediction, "grad_fn", None)
    if made is None or judged is None or not _discounted(made) or _discounted(judged):
        return False
    return bool({*map(id, leaves(target, WIDE))} & {*map(id, leaves(prediction, WIDE))})


def _discounted(node: Any) -> bool:
    added = discounted = False
    for _ in range(FAR):
        name = op_name(node)
        inner = only_input(node)
        if name in LINEAR or inner is None:
            return False  # two outputs are compared, or nothing was discounted so far
        if name == "add":
            added = True
        elif name == "mul":
            discounted = discounted or any(map(_discounts, (saved(node, "other"), saved(node, "self"))))
        elif name in ("max", "amax", "gather", "index", "mean"):
            return added and discounted
        elif name not in PASSING:
            return False
        node = inner
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
