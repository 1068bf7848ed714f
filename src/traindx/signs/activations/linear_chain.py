"""Linear layers that follow each other with nothing nonlinear between them: the longest run.

Pairs are common in good models (attention's value and output maps, depthwise and pointwise convolutions, bottlenecks, a
projection before a head), so a pair counts only where it is all there is. With attention one link is forgiven.
"""

from __future__ import annotations

from itertools import pairwise

from ...record import Run
from .._base import Missing, Sign
from .._facts import graphs, mapping, number, shape
from .._modules import modules
from .._params import parameters
from .._words import grave, num

ID = "linear-chain"
LEVELS = {0: 0.0, 1: 0.0, 2: 0.3, 3: 0.8}


def _bottleneck(shapes: object) -> bool:
    """A narrow middle lowers the rank on purpose. Shapes are (out, in) of each map."""
    sizes = [shape(size) for size in shapes] if isinstance(shapes, (list, tuple)) else []
    pairs = [(a, b) for a, b in pairwise(sizes) if a and b and len(a) >= 2 and len(b) >= 2]
    return any(a[0] < min(a[1], b[0]) for a, b in pairs)


def measure(run: Run) -> Sign | Missing:
    known = [(number(graph.get("linear_chain")), graph) for graph in graphs(run)]
    chains = [(length, graph) for length, graph in known if length is not None]
    if not chains:
        return Missing(ID, "the graph behind the loss was not looked at")
    length, graph = max(chains, key=lambda pair: pair[0])
    attention = any("Attention" in module.type for module in modules(run))
    attention |= any("Softmax" in str(op) and "Log" not in str(op) for op in mapping(graph.get("ops")))
    links = max(0, int(min(length, 100))) - int(attention)
    level = LEVELS.get(max(links, 0), 1.0)
    maps = sum(p.matrix and p.ran for p in parameters(run))
    if links == 2 and 0 < maps <= 2 and not attention:
        level = 0.8  # the whole model is one linear map
    if links <= 3 and _bottleneck(graph.get("linear_chain_shapes")):
        level = min(level, 0.2)
    return Sign(
        ID,
        length,
        level,
        f"the longest run of linear layers with nothing nonlinear between them is {num(length)}"
        + (f" of {maps} layers with weights" if maps else ""),
        onset=0 if level >= 0.5 else None,
        severity=grave(level, "warning"),
        values={"length": length, "layers": maps, "attention": attention},
    )
