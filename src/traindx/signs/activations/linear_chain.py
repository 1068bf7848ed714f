"""Linear layers that follow each other with nothing nonlinear between them: the longest run.

Pairs are common in good models (attention's value and output maps, depthwise and pointwise convolutions, bottlenecks, a
projection before a head), so a pair counts only if it is the whole model. With attention one link is allowed.
"""

from __future__ import annotations

from itertools import pairwise

from ...record import Run
from ...record.parameters import Parameter
from ...record.values import number, op_counts, shape
from ...wording import counted, num
from .. import questions
from .._base import Missing, Sign, if_raised
from .._linear import wholly_linear

ID = "linear-chain"
QUESTION = questions.CAPACITY
SHOWS = "condition"
RIVAL = ("signal", 1.5)
DEEP = 4  # layers with weights: two or three may be a factorisation on purpose
LEVELS = {0: 0.0, 1: 0.0, 2: 0.3, 3: 0.8}


def _bottleneck(shapes: object, weights: list[Parameter]) -> bool:
    """Whether a middle narrower than both ends lowers the rank on purpose.

    `shapes` are those of the maps' outputs, nearest to the loss first; channels come second in images.
    """
    sizes = [shape(size) for size in shapes] if isinstance(shapes, (list, tuple)) else []
    widths = [size[1] if len(size) == 4 else size[-1] for size in sizes if size]
    narrow = {inner for outer, inner in pairwise(widths) if inner < outer}
    return any(p.shape[0] in narrow and p.shape[1] > p.shape[0] for p in weights)


def measure(run: Run) -> Sign | Missing:
    known = [(number(graph.get("linear_chain")), graph) for graph in run.graphs]
    chains = [(length, graph) for length, graph in known if length is not None]
    if not chains:
        return Missing(ID, "the graph behind the loss was not looked at")
    length, graph = max(chains, key=lambda pair: pair[0])
    attention = any("Attention" in module.type for module in run.modules)
    attention |= "softmax" in op_counts(graph)
    links = max(0, int(min(length, 100))) - int(attention)
    level = LEVELS.get(max(links, 0), 1.0)
    weights = [p for p in run.parameters if p.matrix and p.ran]
    maps = len(weights)
    # More products than weights: fixed matrices (a graph's neighbourhoods) take part, and they are no layers.
    fixed = (number(graph.get("linear_maps")) or 0.0) > maps
    if links == 2 and 0 < maps <= 2 and not attention and not fixed:
        level = 0.8  # the whole model is one linear map
    # Both counts: a graph that was cut shows only the layers after the cut.
    if min(maps, number(graph.get("linear_maps")) or 0.0) >= DEEP and wholly_linear(graph):
        level = 0.9
    elif links <= 3 and _bottleneck(graph.get("linear_chain_shapes"), weights):
        level = min(level, 0.2)
    return Sign(
        ID,
        length,
        level,
        f"the longest chain of linear layers without an activation between them has {num(length)}"
        + (f" of {counted(maps, 'linear layer')}" if maps else ""),
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"length": length, "layers": maps, "attention": attention},
    )
