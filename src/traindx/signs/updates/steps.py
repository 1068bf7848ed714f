"""The size of the steps, and what they do to the weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...record import Run
from ...record.values import number
from ...wording import counted, num, percent
from .. import checks, questions
from .._base import Fact, Measured, Scale, Unless, ramp, sign
from .._steps import fits_a_network, share_of, update_ratios
from .._tables import bins, concordance, first_step_above, median, ordered


@sign("update-ratio-high", questions.STEPS, "dynamics", Scale(0.1, 0.6, log=True), core=True)
def update_ratio_high(run: Run) -> Measured | str:
    """The size of the steps against the weights: their ratio, in the eighth of the looks where it is largest.

    About 1e-3 is ordinary for large networks; small ones, with few steps to go, train well at 1e-2 to 4e-2; at 1e-1 a
    tensor is replaced every ten steps. Steps that are too large soon blow the weights up, and the ratio falls again:
    the median over the run would miss them, and a single look would catch every first step of Adam.
    """
    ratios = update_ratios(run)
    if not ratios or not fits_a_network(run):  # a number that begins near zero changes by many times its size
        return "no update was measured against the weights of a network"
    ratio = max(bins(ratios.values, 8))
    return Measured(
        ratio,
        f"Update/weight ratio peaks at {num(ratio)}; its median is {num(median(ratios.values) or 0.0)} over "
        f"{len(ratios.values)} steps checked (~1e-3 is typical)",
        onset=first_step_above(ratios, 0.1),
        values={"largest": ratio, "median": median(ratios.values), "looks": len(ratios)},
    )


@sign("update-ratio-low", questions.STEPS, "dynamics", Scale(2e-4, 5e-6, log=True), from_start=True, core=True)
def update_ratio_low(run: Run) -> Measured | str:
    """Steps too small to matter: the update-to-weight ratio in the quarter of the run where it is largest.

    About 1e-3 is ordinary; careful fine-tuning goes down to 2e-4; at 5e-6 a weight needs 200 000 steps to change by its
    own size. The best quarter decides, so that warm-up, decay to zero and convergence do not count.
    """
    ratios = update_ratios(run)
    if not ratios:
        return "no update was measured against its weights"
    best = max(bins(ratios.values, 4))
    return Measured(
        best,
        f"Update/weight ratio is {num(best)} in the quarter of the run where it is largest (~1e-3 is typical)",
        values={"best_quarter": best, "looks": len(ratios)},
    )


@sign("weights-hardly-move", questions.STEPS, "dynamics", Scale(0.3, 0.1, log=True), from_start=True, end="deep")
def weights_hardly_move(run: Run) -> Measured | str:
    """How far weights can have travelled in the whole run, in units of their own size: the updates added up.

    Weights that start at random have to change by about their own size to learn anything; healthy runs add up to
    several times that, hardly one to less than a third. Where the sum stays far below it, the steps were too small or
    too few, whatever the loss did.
    """
    ratios = update_ratios(run)
    if len(ratios) < 3 or not fits_a_network(run):
        return "updates were not measured against their weights, or no network is trained"
    gaps = np.diff(np.append(ratios.steps, max(run.steps, int(ratios.steps[-1]) + 1)))
    with np.errstate(over="ignore"):  # weights that blew up have gone far enough
        travelled = float(np.sum(ratios.values * gaps))
    loaded = share_of([p for p in run.parameters if p.loaded], run.parameters)
    return Measured(
        travelled,
        f"all {run.steps} updates add up to {num(travelled)} times the weight norm (1 or more is typical)",
        values={"travelled": travelled, "steps": run.steps},
        unless=Unless(loaded > 0.5, f"{percent(loaded)} of the weights come from a checkpoint and need not go far"),
    )


FEWEST = 5


@sign("weights-growing", questions.STEPS, "dynamics", end="deep")
def weights_growing(run: Run) -> Measured | str:
    """Weights that outgrow their start: last norm over first, median over weight matrices.

    Long healthy runs from small initial values double or triple; a hundredfold is a run without a brake. The level asks
    for four times at least, by then ordinary growth is used up.
    """
    change = weight_change(run)
    if change is None:
        return "the weights' norm was not followed over the run"
    return _of_weights(change, ramp(change.ratio, 4.0, 100.0, log=True))


NOTHING_DECAYS = "weight decay is 0 and the loss has no penalty on the weights, so only the gradient shrinks them"


def nothing_decays(run: Run) -> bool | None:
    """Whether no optimizer decays weights and the loss has no penalty on them; None where either is not known."""
    decays = [number(group.settings.get("weight_decay")) for group in run.groups]
    if not decays or None in decays or not run.graphs:
        return None
    return not any(decays) and not any(graph.penalised for graph in run.graphs)


def normalised_behind(run: Run) -> Unless | None:
    """Batch norm behind weights that shrink: it cancels their scale, until hardly anything of them is left.

    Weights at a tenth of their first norm do no harm there; at a fiftieth, steps and weights are out of proportion.
    """
    change, norms = weight_change(run), sum(module.batch_norm for module in run.modules)
    if change is None or not norms:
        return None
    cancels = f"{counted(norms, 'batch norm layer')} {'cancels' if norms == 1 else 'cancel'} the scale of the weights"
    return Unless(ramp(change.ratio, 0.02, 0.1, log=True), cancels)


@sign("weights-shrinking", questions.STEPS, "dynamics", end="deep", unless={normalised_behind: 0.0})
def weights_shrinking(run: Run) -> Measured | str:
    """Weights that shrink toward zero over the run: last norm over first, median over weight matrices.

    Healthy weights keep their size or grow. Without decay and penalties only the gradient shrinks them, as it should.
    """
    change = weight_change(run)
    if change is None:
        return "the weights' norm was not followed over the run"
    level = ramp(change.ratio, 0.5, 0.1, log=True) * ramp(-change.order, 0.2, 0.6)
    return replace(_of_weights(change, level), unless=Unless(nothing_decays(run) is True, NOTHING_DECAYS))


@dataclass(frozen=True)
class WeightChange:
    ratio: float  # last norm over first: median over weight matrices, or of all weights together
    order: float  # Kendall's tau over the run: -1 where the norm falls all the way
    first: float
    last: float


def weight_change(run: Run) -> WeightChange | None:
    """None where fewer than five looks were taken or the weights began at zero."""
    whole = ordered(run.series("weight_norm"))
    # Weights that no gradient reaches are moved by weight decay alone: that they shrink is the effect of another fault.
    matrices = {p.name for p in run.parameters if p.matrix and p.trains and p.grad != "zero"}
    table = run.layers("weight_norm")
    rows = table.values[np.argsort(table.steps, kind="stable")]
    columns = [rows[:, i] for i, name in enumerate(table.layers) if name in matrices]
    tracks = [[float(v) for v in column if np.isfinite(v)] for column in columns] or [whole.values.tolist()]
    tracks = [track for track in tracks if len(track) >= FEWEST and track[0] > 0]
    ratio = median(track[-1] / track[0] for track in tracks)
    if ratio is None:
        return None
    order = median(concordance(bins(np.asarray(track), 10)) for track in tracks) or 0.0
    longest = whole.values.tolist() if len(whole) >= FEWEST else tracks[0]
    return WeightChange(ratio, order, longest[0], longest[-1])


def _of_weights(change: WeightChange, level: float) -> Measured:
    return Measured(
        change.ratio,
        f"the weight norm went from {num(change.first)} to {num(change.last)}; the median weight matrix ended at "
        f"{num(change.ratio)} times its initial norm",
        level,
        values={"ratio": change.ratio, "first": change.first, "last": change.last},
    )


@sign(
    "updates-lost-to-rounding",
    questions.PRECISION,
    "fault",
    Scale(0.5, 0.95),
    check=checks.WEIGHTS_MOVE,
    proof="The weights' bits before and after the same step.",
    refuters=(Fact("Elements without a gradient, which cannot change."),),
)
def updates_lost_to_rounding(run: Run) -> Measured | str:
    """Weights held in half precision that a step leaves unchanged, because the change is below the format's resolution.

    Elements whose gradient is zero cannot change either, so they are taken out. A step of 1e-3 of a weight is near
    bfloat16's resolution of 4e-3: half of the elements standing still is the border.
    """
    formats = run.precision
    if not formats.half_weights or formats.unchanged_share is None:
        return "no weights in half precision were compared before and after a step"
    idle = min(max(formats.grad_underflow or 0.0, 0.0), 0.99)
    share = min(max((formats.unchanged_share - idle) / (1 - idle), 0.0), 1.0)
    return Measured(
        share,
        f"a step leaves {percent(share)} of the half-precision weights with a gradient unchanged",
        values={"unchanged": formats.unchanged_share, "zero_gradient": idle},
    )
