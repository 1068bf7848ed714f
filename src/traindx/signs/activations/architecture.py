"""What the network is made of: depth, width, nonlinearities, dropout."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ...record import Run
from ...record.graph import Graph
from ...record.program import Parameter
from ...record.values import number
from ...wording import counted, listed, num
from .. import questions
from .._base import Fact, Measured, Scale, Unless, ramp, sign
from .._layers import RELU_LIKE, output_module
from ..curve import adversarial

BENDING = {  # operations on two results
    "mul",
    "div",
    "bmm",
    "baddbmm",
    "einsum",
    "scaleddotproduct",
    "prod",
    "min",
    "amax",
    "sort",
}


def wholly_linear(graph: Graph) -> bool:
    """Whether nothing but the loss function bends anything: additions between the layers do not."""
    of_loss = sum(entry.in_loss for entry in graph.softmaxes)
    bending = graph.nonlinearities
    return bending is not None and bending <= of_loss and not graph.custom and not BENDING & set(graph.counts)


# Of hidden layers: a sigmoid or softplus that training does without is often that of `predict`.
ACTIVATIONS = (*RELU_LIKE, "Tanh", "LeakyReLU", "PReLU", "RReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish")
FEWEST = 2  # layers: one is a linear model, whatever stands beside it


@sign(
    "activation-unused",
    questions.CAPACITY,
    "fault",
    from_start=True,
    witnesses=(
        Fact("The module was never called in any forward that was looked at, while all layers were."),
        Fact("The autograd graph holds no nonlinearity between the layers."),
    ),
    refuters=(Fact("One layer only, or several graphs: a linear model, or an activation for prediction."),),
)
def activation_unused(run: Run) -> Measured | str:
    """Whether the model has an activation that its forward never calls, and is one linear map because of that.

    Unused modules are common and harmless. Here there is no other nonlinearity between two or more layers, all of which
    ran: the activation was meant to be called.
    """
    if len(run.graphs) != 1 or not run.modules:
        return "the graph behind the loss was not looked at, or there are several"
    layers = [module for module in run.modules if module.maps]
    unused = [module.name for module in run.modules if module.type in ACTIVATIONS and module.order is None]
    deep = len(layers) >= FEWEST and all(module.order is not None for module in layers)
    level = 1.0 if unused and deep and wholly_linear(run.graphs[0]) else 0.0
    names = listed([f"`{name}`" for name in unused])
    text = f"the forward never calls {names}, and no other nonlinearity lies between {len(layers)} linear layers"
    if not level:
        text = "no activation is defined but unused in a forward that is linear without it"
    return Measured(level, text)


DEEP = 4  # layers with weights: two or three may be a factorisation on purpose
LEVELS = {0: 0.0, 1: 0.0, 2: 0.3, 3: 0.8}


def _bottleneck(shapes: tuple[tuple[int, ...], ...], weights: list[Parameter]) -> bool:
    """Whether a middle narrower than both ends lowers the rank on purpose.

    `shapes` are those of the maps' outputs, nearest to the loss first; channels come second in images.
    """
    widths = [size[1] if len(size) == 4 else size[-1] for size in shapes if size]
    narrow = {inner for outer, inner in pairwise(widths) if inner < outer}
    return any(p.shape[0] in narrow and p.shape[1] > p.shape[0] for p in weights)


@sign("linear-chain", questions.CAPACITY, "condition", from_start=True)
def linear_chain(run: Run) -> Measured | str:
    """Linear layers that follow each other with nothing nonlinear between them: the longest run.

    Pairs are common in good models (attention's value and output maps, depthwise and pointwise convolutions,
    bottlenecks, a projection before a head), so a pair counts only if it is the whole model. With attention one link is
    allowed.
    """
    known = [(graph.linear_chain, graph) for graph in run.graphs]
    chains = [(length, graph) for length, graph in known if length is not None]
    if not chains:
        return "the graph behind the loss was not looked at"
    length, graph = max(chains, key=lambda pair: pair[0])
    attention = any("Attention" in module.type for module in run.modules)
    attention |= "softmax" in graph.counts
    links = max(0, int(min(length, 100))) - int(attention)
    level = LEVELS.get(max(links, 0), 1.0)
    weights = [p for p in run.parameters if p.matrix and p.ran]
    maps = len(weights)
    # More products than weights: fixed matrices (a graph's neighbourhoods) take part, and they are no layers.
    fixed = graph.linear_maps > maps
    if links == 2 and 0 < maps <= 2 and not attention and not fixed:
        level = 0.8  # the whole model is one linear map
    # Both counts: a graph that was cut shows only the layers after the cut.
    if min(maps, graph.linear_maps) >= DEEP and wholly_linear(graph):
        level = 0.9
    elif links <= 3 and _bottleneck(graph.linear_chain_shapes, weights):
        level = min(level, 0.2)
    return Measured(
        length,
        f"the longest chain of linear layers without an activation between them has {num(length)}"
        + (f" of {counted(maps, 'linear layer')}" if maps else ""),
        level,
        values={"length": length, "layers": maps, "attention": attention},
    )


ENOUGH = 8.0  # units: from here on width alone is no obstacle to the tasks people start with
FEWEST_WORDS = 16  # that one or two numbers each could not tell apart


@dataclass(frozen=True)
class _Width:
    name: str
    units: float
    wanted: float
    between: str
    enough: float = ENOUGH

    @property
    def level(self) -> float:
        narrow = ramp(self.units, self.enough, self.enough / 4, log=True)
        return narrow * ramp(self.wanted / max(self.units, 1.0), 1.0, 3.0)


@sign("narrow-layer", questions.CAPACITY, "setting", severity="warning", from_start=True)
def narrow_layer(run: Run) -> Measured | str:
    """How narrow the narrowest hidden layer is against what has to pass through it.

    A bottleneck of one or two units between wide inputs and wide or nonlinear outputs lets little through, whatever the
    rest of the model. Width is compared with the larger of the model's input and output: two units are enough for two
    features. The state of a recurrent layer has to hold what came before, and an embedding to tell its words apart,
    however few numbers go in and out. A model without any hidden layer has no bottleneck; what it cannot represent does
    not show in its sizes.
    """
    ran = [p for p in run.parameters if p.ran and p.trains is not False]
    widths = [*_hidden(ran), *_states(ran), *_words(ran)]
    if adversarial(run) or not widths:
        return "the networks are adversarial, or no hidden layer was seen to run"
    narrowest = max(widths, key=lambda width: (width.level, -width.units))
    level = narrowest.level
    return Measured(
        narrowest.units,
        f"the narrowest hidden layer is `{narrowest.name}` with {counted(narrowest.units, 'unit')} {narrowest.between}",
        level,
        values={"layer": narrowest.name, "width": narrowest.units},
    )


def _feeds(earlier: Parameter, later: Parameter) -> bool:
    width, taken = earlier.shape[0], later.shape[1]
    return taken == width or (len(earlier.shape) > 2 and width > 0 and taken % width == 0)


def _hidden(ran: list[Parameter]) -> list[_Width]:
    """Hidden is what a later layer takes in, as it is or (images) spread out over positions: heads end a branch."""
    # Not positions, scales or memories.
    layers = sorted((p for p in ran if p.matrix and p.module.startswith(("Linear", "Conv"))), key=lambda p: p.depth)
    hidden = [p for i, p in enumerate(layers) if any(_feeds(p, later) for later in layers[i + 1 :])]
    if not hidden:
        return []
    taken, made = float(layers[0].shape[1]), float(layers[-1].shape[0])
    between = f"between {counted(taken, 'input')} and {counted(made, 'output')}"
    return [_Width(p.name, float(p.shape[0]), max(taken, made), between) for p in hidden]


def _states(ran: list[Parameter]) -> list[_Width]:
    recurrent = [p for p in ran if "weight_hh" in p.name and len(p.shape) == 2]
    return [_Width(p.name, float(p.shape[1]), 4 * ENOUGH, "of recurrent state") for p in recurrent]


def _words(ran: list[Parameter]) -> list[_Width]:
    """Of several embeddings the widest counts: a single number for each item may be its bias."""
    known = [p for p in ran if p.kind == "embedding" and len(p.shape) == 2 and p.shape[0] >= FEWEST_WORDS]
    if not known:
        return []
    widest = max(known, key=lambda p: p.shape[1])
    count = float(widest.shape[0])
    return [
        _Width(widest.name, float(widest.shape[1]), count, f"for {num(count)} different words or items", ENOUGH / 2)
    ]


MULTIPLICATIONS = ("addmm", "mm", "bmm", "convolution")


@sign("recurrent-or-deep-plain", questions.FLOW, "setting")
def recurrent_or_deep_plain(run: Run) -> Measured | str:
    """Whether the model is of the kind in which gradients can explode: recurrent, or deep without norms and skips.

    A property of the model, not a fault: recurrence is 1; plain depth counts from six layers on and in full at twenty.
    A recurrence written by hand shows in the graph, as far more multiplications than there are weights.
    """
    found = [module for module in run.modules if module.order is not None]
    ops = run.graph.counts
    if not found and not ops:
        return "neither modules nor the graph were looked at"
    recurrent = [module.name or module.type for module in found if module.recurrent]
    weights = sum(p.matrix and p.ran for p in run.parameters) or sum(module.maps for module in found)
    products = sum(ops.get(name, 0.0) for name in MULTIPLICATIONS)
    attention = any("Attention" in module.type for module in found) or "softmax" in ops
    unrolled = weights > 0 and products >= 5 * weights and not attention
    norms = sum(module.norm for module in found)
    skips = ops.get("add", 0.0)
    plain = max(norms, skips) < weights / 4
    level = 1.0 if recurrent or unrolled else ramp(weights, 6.0, 20.0) if plain else 0.0
    what = (
        f"recurrent ({listed(recurrent)})"
        if recurrent
        else f"recurrent ({products:g} matrix products of {weights} weights)"
        if unrolled
        else f"{weights} layers deep with {norms} norm layers and {skips:g} skip connections"
    )
    return Measured(float(weights), f"the model is {what}", level, values={"layers": weights, "norms": norms})


SIGMOIDS, TANHS = ("Sigmoid", "Hardsigmoid"), ("Tanh", "Softsign", "Hardtanh")


@sign("squashing-depth", questions.FLOW, "setting", Scale(2.0, 6.0))
def squashing_depth(run: Run) -> Measured | str:
    """How many sigmoid or tanh layers the gradient must pass.

    A sigmoid passes on at most a quarter of the gradient, so three of them cost two decades with ordinary weights; a
    tanh passes nearly all of it at the start and counts a third. Recurrent cells have gates of their own and are not
    counted. One norm layer or skip connection for every two of them is enough to carry the gradient past.
    """
    layers = squashing_layers(run)
    if layers is None:
        return "neither modules nor the graph were looked at"
    sigmoids, tanhs = layers
    norms, skips = sum(module.norm for module in run.modules), run.graph.counts.get("add", 0.0)
    help_there = f"{counted(norms, 'norm layer')} and {counted(skips, 'skip connection')} help it"
    return Measured(
        sigmoids + tanhs / 3,
        f"the gradient passes {sigmoids} sigmoid and {tanhs} tanh layers",
        values={"sigmoids": sigmoids, "tanhs": tanhs},
        unless=Unless(max(norms, skips) >= sum(layers) / 2 > 0, help_there),
    )


def squashing_layers(run: Run) -> tuple[int, int] | None:
    """Sigmoid and tanh layers before the output; None where neither modules nor the graph were looked at."""
    found = [module for module in run.modules if module.order is not None]
    ops = run.graph.counts
    if not found and not ops:
        return None
    last = output_module(found, (*SIGMOIDS, *TANHS))
    inner = [module for module in found if module is not last]
    sigmoids = sum(module.type in SIGMOIDS for module in inner)
    tanhs = sum(module.type in TANHS for module in inner)
    if not sigmoids and not tanhs and not any(module.recurrent for module in found):
        # Called as functions they are no modules, but the graph holds them.
        sigmoids, tanhs = (int(min(ops.get(name, 0.0), 1e6)) for name in ("sigmoid", "tanh"))
    return sigmoids, tanhs


@sign("strong-dropout", questions.CAPACITY, "setting", Scale(0.55, 0.8), severity="warning")
def strong_dropout(run: Run) -> Measured | str:
    """The largest dropout probability in use. Up to 0.5 is ordinary; at 0.8 a fifth of the signal is left."""
    known = run.modules
    if not known:
        return "the model's modules were not seen"
    drops = [(number(m.settings.get("p")), m) for m in known if m.dropout and m.order is not None]
    rates = [(p, module) for p, module in drops if p is not None]
    functional = run.dropout  # written as a function
    if not rates and not functional:
        return Measured(0.0, "the model uses no dropout")
    most = max([*functional, *(p for p, _ in rates)])
    where = next((f"`{module.name or module.type}`" for p, module in rates if p == most), "a functional dropout call")
    return Measured(
        most,
        f"the strongest dropout is p={num(most)} in {where} (0.1 to 0.5 is typical)",
        values={"p": most, "layers": len(rates)},
    )
