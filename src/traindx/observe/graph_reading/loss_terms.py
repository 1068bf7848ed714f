"""Which terms a loss is the sum of, read from the graph behind it."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from .graphs import inputs_of, only_input, op_name, out_shape, saved
from .loss_tail import LINEAR, LOSSES, number_of

JOINING = ("add", "sub", "rsub")
PASSING = ("clone", "view", "reshapealias", "unsafeview", "squeeze", "unsqueeze", "alias", "tocopy", "select", "expand")
REDUCING = ("sum", "mean")
SCALING = ("mul", "div", "neg")
SIZING = ("pow", "abs", "linalgvectornorm", "norm", "square", "mul")
MOST_NODES = 256  # between the total and its terms
NEAR = 24  # operations of a term that are looked at


@dataclass(frozen=True)
class Part:
    """One term: the operation that made it, and what it is multiplied by on its way into the topmost sum.

    `mean`: it has one entry for each sample, and the sum is over their mean (else over their sum).
    """

    node: Any
    factor: float
    mean: bool = True


@dataclass(frozen=True)
class Reading:
    """The terms of a loss. `outer` is what their sum is multiplied by; None where that is not a known number."""

    parts: tuple[Part, ...]
    outer: float | None


def read_terms(loss: Any, known: Container[Any]) -> Reading | None:
    """The terms of `loss`; None where it is no sum of several. `known`: nodes of operands that were seen to be added.

    Sums, differences and products with numbers are followed, also where losses are stacked and then summed or averaged.
    """
    at, outer = _to_join(getattr(loss, "grad_fn", None))
    if at is None:
        return None
    parts: list[Part] = []
    waiting: list[tuple[Any, float, bool]] = [(at, 1.0, True)]
    for _ in range(MOST_NODES):
        if not waiting:
            return Reading(tuple(parts), outer) if len(parts) > 1 else None
        node, factor, mean = waiting.pop()
        inner = _operands(node)
        if inner is not None:
            reduced = op_name(node) == "mean" if op_name(node) in REDUCING else mean
            waiting += [(operand, factor * weight, reduced) for operand, weight in reversed(inner)]
            continue
        below, weight = (None, None) if node in known and not _shifted(node) else _to_join(node)
        if below is not None and weight is not None:
            waiting.append((below, factor * weight, mean))
        else:
            parts.append(Part(_unshifted(node, known), factor, mean))
    return None


def _to_join(node: Any) -> tuple[Any | None, float | None]:
    """From here through products with numbers to the next sum of two terms, and the product of those numbers."""
    factor: float | None = 1.0
    for _ in range(16):
        if node is None:
            return None, None
        if _operands(node) is not None:
            return node, factor
        following = only_input(node)
        if following is None or op_name(node) not in SCALING + PASSING:
            return None, None
        number = _factor_of(node)
        factor = factor * number if factor is not None and number is not None else None
        node = following
    return None, None


def _factor_of(node: Any) -> float | None:
    """The number by which this operation multiplies; None where it is not known."""
    if op_name(node) not in ("mul", "div"):
        return -1.0 if op_name(node) == "neg" else 1.0
    number = number_of(saved(node, "other"))
    return 1.0 / number if number and op_name(node) == "div" else number


def _operands(node: Any) -> list[tuple[Any, float]] | None:
    """The terms that this operation adds up, with the sign or share of each; None where it adds no terms."""
    name = op_name(node)
    inner = inputs_of(node)
    if name in JOINING:
        if len(inner) != 2 or not all(map(_small, inner)):
            return None
        alpha = number_of(saved(node, "alpha"))
        scale = 1.0 if alpha is None else alpha
        signs = {"add": (1.0, scale), "sub": (1.0, -scale), "rsub": (-scale, 1.0)}[name]
        return list(zip(inner, signs, strict=True))
    if name in REDUCING and len(inner) == 1:
        within = inputs_of(inner[0])
        if (
            op_name(inner[0]) in ("stack", "cat")
            and len(within) > 1
            and all(out_shape(n) in ((), (1,)) for n in within)
        ):
            return [(n, 1.0 / len(within) if name == "mean" else 1.0) for n in within]
        if op_name(inner[0]) in JOINING and len(out_shape(inner[0]) or ()) == 1:
            return _operands(inner[0])  # one loss for each sample, of several terms
    return None


def _small(node: Any) -> bool:
    """Whether it is a loss, or one for each sample."""
    shape = out_shape(node)
    return shape is not None and len(shape) < 2


def _shifted(node: Any) -> bool:
    """Whether a constant is added, as the zero from which Python's `sum` begins."""
    return op_name(node) == "add" and len(inputs_of(node)) == 1


def _unshifted(node: Any, known: Container[Any]) -> Any:
    if _shifted(node):
        inner = next(n for n, _ in node.next_functions if n is not None)
        return inner if inner in known else node
    return node


def chain_of(node: Any) -> tuple[list[Any], float]:
    """From here through products with numbers to what is multiplied, and the product of these numbers."""
    factor = 1.0
    chain = [node]
    for _ in range(16):
        following = only_input(node)
        if following is None or op_name(node) not in SCALING + PASSING or not (number := _factor_of(node)):
            break
        factor *= number
        node = following
        chain.append(node)
    return chain, factor


@dataclass(frozen=True)
class Nature:
    """What a term is made of: `reduction` is sum, mean or nothing known."""

    reduction: str | None
    penalty: bool  # it measures the size of weights
    divergence: bool  # it has the operations of a Kullback-Leibler divergence between normal distributions


def nature_of(node: Any) -> Nature:
    base = chain_of(node)[0][-1]
    reduction = next((name for name in [op_name(base)] if name in REDUCING), None)
    ops: set[str] = set()
    penalty = False
    waiting, seen = [base], {base}
    while waiting and len(seen) < NEAR * 4:
        at = waiting.pop(0)
        name = op_name(at)
        ops.add(name)
        penalty = penalty or (name in SIZING and any(hasattr(n, "variable") for n, _ in at.next_functions))
        if name in LINEAR or name in LOSSES or len(ops) > NEAR:
            continue
        inner = [n for n, _ in at.next_functions if n is not None and n not in seen]
        seen.update(inner)
        waiting += inner
        if reduction is None and name in PASSING:
            reduction = next((op_name(n) for n in inner if op_name(n) in REDUCING), None)
    behind = ops - LINEAR
    # Squares of means, and variances with their logarithms.
    divergence = not penalty and bool({"pow", "mul", "square"} & behind) and "exp" in behind and "sub" in behind
    divergence = divergence or (not penalty and {"pow", "log", "sub"} <= behind) or "kldiv" in behind
    return Nature(reduction, penalty, divergence and not (LOSSES - {"kldiv"}) & behind)
