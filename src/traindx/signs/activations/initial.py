"""How the network starts: the scale of weights, embeddings and activations, and units that start alike."""

from __future__ import annotations

import math
from dataclasses import replace

from ...record import Run
from ...record.program import Parameter
from ...wording import counted, listed, num
from .. import checks, questions
from .._base import Fact, Measured, Missing, Scale, Unless, ramp, sign
from .._layers import DepthTrend, depth_trend
from .._tables import layer_medians, median
from ..outputs.first_loss import first_loss_above_chance

STANDARD = ("Linear", "Conv", "Bilinear", "RNN", "LSTM", "GRU", "MultiheadAttention", "LazyLinear", "LazyConv")


@sign("init-scale-large", questions.FLOW, "condition", from_start=True, check=checks.INITIAL_WEIGHTS)
def init_scale_large(run: Run) -> Measured | str:
    """Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too large.

    Kaiming's 1.4 is the largest usual value; standard normal weights with 64 inputs give 8. The median layer counts, or
    one of torch's own layers far beyond the usual. Custom layers may scale their weights at run time, so there the
    level stops at 0.6; and a single custom tensor may be a table of positions, which is not a layer.
    """
    gains = _fresh_gains(run)
    gain = median(g for g, _ in gains)
    if gain is None:
        return "no freshly initialised weight was looked at"
    standard = [g for g, p in gains if p.module.startswith(STANDARD)]
    level = max(ramp(gain, 2.0, 8.0, log=True), ramp(max(standard, default=0.0), 6.0, 60.0, log=True))
    if not standard:
        level = min(level, 0.6)
    return _of_gain(gain, level, len(gains), "largest", "most", max(gains, key=lambda pair: pair[0]))


@sign("init-scale-small", questions.FLOW, "condition", from_start=True, check=checks.INITIAL_WEIGHTS)
def init_scale_small(run: Run) -> Measured | str:
    """Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too small.

    torch's default gives 0.58, Xavier 1, Kaiming 1.4; the median hidden layer counts, for last layers are made small on
    purpose. Norm layers restore the scale behind small weights (the 0.02 of many transformers): one for every two
    layers is enough, but a gain of 0.005 is too small even then.
    """
    gains = _fresh_gains(run)
    gain = hidden_gain(run)
    if gain is None:
        return "no freshly initialised weight was looked at"
    norms, maps = sum(module.norm for module in run.modules), sum(module.maps for module in run.modules)
    normed = 0.0 if 2 * norms < max(1, maps) else ramp(gain, 0.005, 0.05, log=True)
    level = ramp(gain, 0.2, 0.03, log=True)
    found = _of_gain(gain, level, len(gains), "smallest", "least", min(gains, key=lambda pair: pair[0]))
    return replace(found, unless=Unless(normed, f"{counted(norms, 'norm layer')} restore the scale behind the weights"))


def hidden_gain(run: Run) -> float | None:
    """The median gain of fresh layers before the last; None without any."""
    gains = _fresh_gains(run)
    return median(g for g, _ in (gains[:-1] or gains))


def _of_gain(gain: float, level: float, layers: int, word: str, key: str, extreme: tuple[float, Parameter]) -> Measured:
    furthest, layer = extreme
    return Measured(
        gain,
        f"initial weight std is {num(gain)} times 1/sqrt(fan_in) (median of {layers} layers; "
        f"{word} {num(furthest)} in `{layer.name}`; PyTorch's default is 0.58)",
        level,
        values={"median": gain, key: furthest, "layer": layer.name},
    )


def _fresh_gains(run: Run) -> list[tuple[float, Parameter]]:
    """(init_std x sqrt(fan_in), weight) of fresh, trainable weight matrices that ran, in order of execution.

    Constant ones are left out: zero-initialised branches and heads are healthy, and symmetry is another sign.
    """
    return [
        (gain, p)
        for p in run.parameters
        if p.matrix and p.ran and p.trains and not p.loaded and not p.constant
        if (gain := p.gain) is not None and gain > 0
    ]


def _alike(p: Parameter) -> bool:
    return p.constant or (p.rows_identical is not None and p.rows_identical >= 0.99)


def _zero(p: Parameter) -> bool:
    return p.constant and not p.init_mean


@sign(
    "rows-identical",
    questions.FLOW,
    "fault",
    Scale(0.1, 0.5),
    from_start=True,
    check=checks.SYMMETRY,
    proof="The weights themselves, compared row by row before the first step.",
    refuters=(
        Fact("Loaded weights, an output layer, or a single layer of zeros between others (a gate, a residual branch)."),
    ),
)
def rows_identical(run: Run) -> Measured | str:
    """Hidden layers whose units all start with the same weights: the share of such layers.

    The output layer is left out, for a linear model may start at zero. A single layer of zeros (a residual branch, a
    gate) is broken up by its neighbours and healthy; zeros count only where half of the layers are zero.
    """
    weights = [p for p in run.parameters if p.matrix and p.ran and p.trains and not p.loaded and p.shape[0] >= 2]
    known = [p for p in weights if p.rows_identical is not None or p.constant]
    hidden = [p for p in known if p is not weights[-1]]
    if not hidden:
        return "no freshly initialised hidden layer was looked at"
    alike = [p for p in hidden if _alike(p)]
    # Frozen and loaded layers count among the neighbours: adapters start at zero beside them.
    others = [p for p in run.parameters if p.matrix and p.ran and p.shape[0] >= 2 and p not in known]
    if 2 * sum(map(_zero, alike)) < len(hidden) + len(others):
        alike = [p for p in alike if not _zero(p)]
    share = len(alike) / len(hidden)
    return Measured(
        share,
        f"all units of {listed([p.name for p in alike])} start with identical weights ({len(alike)} of {len(hidden)} "
        "hidden layers)"
        if alike
        else f"the units of each hidden layer start with different weights ({counted(len(hidden), 'layer')} checked)",
        values={"layers": [p.name for p in alike][:20], "share": share},
    )


LOGITS = 2.0  # what a classification's first outputs may be


@sign("embedding-scale-large", questions.START, "condition", from_start=True)
def embedding_scale(run: Run) -> Measured | str:
    """The size of what a product of embeddings gives at the start, against the targets.

    Embeddings of N(0, 1), torch's default, with d entries give products with a standard deviation of sqrt(d): 7 for d =
    50, where ratings lie between 1 and 5. Only models are judged whose output is such a product, with no layer behind
    it, and only where the first loss shows it.
    """
    tables = factors(run)
    if not run.graphs or any(graph.linear_maps for graph in run.graphs) or len(tables) < 2:
        return "the output is not a product of embeddings"
    first = first_loss_above_chance.measure(run)
    if isinstance(first, Missing):
        return first.reason
    largest = max(tables, key=lambda p: p.init_std or 0.0)
    width = largest.shape[-1]
    output = math.prod(p.init_std or 0.0 for p in tables[:2]) * math.sqrt(width)
    wanted = _wanted(run)
    level = min(ramp(output / wanted, 1.0, 2.5, log=True), ramp(first.value, 2.0, 5.0, log=True))
    text = (
        f"embedding `{largest.name}` starts with a standard deviation of {num(largest.init_std or 0.0)} in {width} "
        f"dimensions, so products start at ±{num(output)} (the targets' size is {num(wanted)})"
    )
    values = {"output": output, "targets": wanted, "width": width, "layer": largest.name}
    return Measured(output / wanted, text, level, values=values)


def factors(run: Run) -> list[Parameter]:
    """Fresh embeddings with more than one entry that ran, of the width that most of them have, largest first."""
    found = [
        p
        for p in run.parameters
        if p.kind == "embedding" and p.ran and p.trains and not p.loaded and len(p.shape) == 2 and p.shape[1] > 1
    ]
    found = [p for p in found if p.init_std]
    widths = [p.shape[1] for p in found]
    width = max(set(widths), key=widths.count, default=0)
    return sorted((p for p in found if p.shape[1] == width), key=lambda p: -(p.init_std or 0.0))


def _wanted(run: Run) -> float:
    targets = run.training_targets
    if targets.kind != "values":
        return LOGITS
    mean, spread = targets.mean or 0.0, targets.std or 0.0
    return math.hypot(mean, spread) or LOGITS


REMEDY = "Initialise by fan-in (He for ReLU, Xavier for tanh) or add normalisation."


@sign(
    "activation-variance-grows",
    questions.FLOW,
    "dynamics",
    from_start=True,
    check=checks.VARIANCE_BY_DEPTH,
    remedy=REMEDY,
)
def activation_variance_grows(run: Run) -> Measured | str:
    """How the spread of activations rises with depth before any training, in decades from first to last hidden layer.

    Residual networks without norms gain up to a decade or two; three and more are out of hand. The order of layers must
    agree with the rise.
    """
    return _change(run, 1.0, 1.5, 3.0)


@sign(
    "activation-variance-shrinks",
    questions.FLOW,
    "dynamics",
    from_start=True,
    check=checks.VARIANCE_BY_DEPTH,
    remedy=REMEDY,
)
def activation_variance_shrinks(run: Run) -> Measured | str:
    """How the spread of activations falls with depth before any training, in decades from first to last hidden layer.

    Two decades are within what a plain healthy network with torch's default initialisation shows; four leave nothing to
    learn from. The order of layers must agree with the fall.
    """
    return _change(run, -1.0, 2.0, 4.0)


def _change(run: Run, direction: float, normal: float, gross: float) -> Measured | str:
    """`direction` is 1 for a rise, -1 for a fall; `normal` and `gross` are decades in that direction."""
    trend = _initial_spread(run)
    if trend is None:
        return "fewer than four hidden layers were looked at before training changed them"
    level = ramp(direction * trend.decades, normal, gross) * ramp(direction * trend.order, 0.3, 0.6)
    return Measured(
        direction * trend.decades,
        f"activation std at initialisation goes from {num(trend.values[0])} in layer `{trend.layers[0]}` to "
        f"{num(trend.values[-1])} in `{trend.layers[-1]}`, a factor of {num(trend.factor)} per layer (1 is ideal)",
        level,
        values={"factor": trend.factor, "layers": len(trend.layers)},
    )


def _initial_spread(run: Run) -> DepthTrend | None:
    """Deviation of the outputs of layers with weights, at the first look.

    The last such layer is left out: output layers are made small, or large, on purpose.
    """
    table = run.layers("act_std")
    if not table or int(table.steps.min()) > 5:
        return None  # later looks show what training did
    names = [module.name for module in run.modules if module.order is not None and module.maps]
    return depth_trend(names[:-1], layer_medians(table, 0.0, 1.0 / len(table)))
