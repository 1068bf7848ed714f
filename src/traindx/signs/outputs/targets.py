"""What the loss is given as targets."""

from __future__ import annotations

import math

from ...record import Run
from ...record.program import REGRESSION, LossCall
from ...wording import num, percent
from .. import checks, questions
from .._base import RAISED, Fact, Measured, Missing, Scale, Sign, place, sign
from .._output import OutputRange, output_range
from ..curves.learning import training_learned

MOST_CLASSES = 1000
EVEN = 0.85


def _even(run: Run, _sign: Sign) -> str | None:
    evenness = _evenness(run)
    return "they occur about equally often" if evenness is not None and evenness > EVEN else None


def _explained(run: Run, _sign: Sign) -> str | None:
    learned = training_learned.measure(run)
    if isinstance(learned, Missing) or learned.level < 0.5 or learned.value > EXPLAINED:
        return None
    return f"the loss ends at {percent(learned.value)} of the best constant's, so their order has a meaning"


EXPLAINED = 0.1  # of the loss of the best constant


def _evenness(run: Run) -> float | None:
    """Entropy of the target histogram over its maximum."""
    counts = list(run.training_targets.histogram.values())
    total = sum(counts)
    if len(counts) < 2 or not math.isfinite(total):
        return None
    return -sum(found / total * math.log(found / total) for found in counts) / math.log(len(counts))


def _level(run: Run, call: LossCall) -> float:
    low, high, distinct = call.target.min, call.target.max, call.target.distinct
    if call.target.integer_valued is not True or distinct is None or low is None or high is None:
        return 0.0
    if distinct < 3 or distinct > MOST_CLASSES:
        return 0.0
    gapless = low == 0 and high <= distinct * 1.2  # a few classes may be missing from the batches looked at
    if not gapless:
        return 0.2
    evenness = _evenness(run)
    if evenness is not None:
        return 1.0 if evenness > EVEN else 0.4
    return 0.8 if "int" in call.target.dtype else 0.7


@sign(
    "class-ids-in-regression-loss",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The targets are whole numbers from 0 up without gaps."),
        Fact("They occur about equally often.", _even),
    ),
    refuters=(
        Fact("Two values, ratings that begin at 1, gaps, or numbers with a most common one, as counts have."),
        Fact("The loss ends far below the variance of the targets: their size means something.", _explained),
    ),
)
def class_ids_in_regression_loss(run: Run) -> Measured | str:
    """Whether a regression loss is given class ids as targets.

    Class ids are whole numbers from 0 up without gaps, in about equal numbers. Counts and ages share some of that
    (seldom the evenness), ratings begin at 1, and two values are how least-squares GANs and one-hot targets look: all
    healthy, so each lowers the level.
    """
    calls = [call for call in run.training_losses if call.kind in REGRESSION and call.target]
    if not calls:
        return "no call of a regression loss was seen"
    call = max(calls, key=lambda found: _level(run, found))
    level = _level(run, call)
    distinct = call.target.distinct
    return Measured(
        level,
        f"{call.fn} gets targets from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)}"
        + (f", {num(distinct)} distinct integers that look like class ids" if level >= RAISED and distinct else "")
        + place(call.site),
        values={"distinct": distinct, "fn": call.fn, "target_dtype": call.target.dtype},
    )


@sign(
    "labels-without-sign",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    proof="The labels' values: 0 and 1, where the function's definition has -1 and 1.",
    refuters=(Fact("Some label is -1."),),
)
def labels_without_sign(run: Run) -> Measured | str:
    """Whether a loss that expects labels of -1 and 1 is given 0 and 1.

    For a label of zero, soft margin loss does not depend on the score, and cosine and hinge embedding losses never push
    dissimilar pairs apart.
    """
    known = [
        (call, low, high)
        for call in run.training_losses
        if (low := call.signed.min) is not None and (high := call.signed.max) is not None
    ]
    if not known:
        return "no loss that expects labels of -1 and 1 was called"
    call, low, high = min(known, key=lambda found: (found[1] != 0.0, found[2]))
    level = 1.0 if low == 0.0 and high == 1.0 else 0.0
    return Measured(
        low,
        f"{call.fn} gets labels from {num(low)} to {num(high)}"
        + (" but expects -1 and 1" if level else "")
        + place(call.site),
        level,
        values={"min": low, "max": high},
    )


def _away(call: LossCall) -> float | None:
    """How far the sums of the rows lie from 1, or binary targets outside 0 to 1, at most."""
    if call.fn.startswith("binary_cross_entropy"):
        least, most = call.target.min, call.target.max
        return None if least is None or most is None else max(-least, most - 1.0, 0.0)
    low, high = call.target.row_sum_min, call.target.row_sum_max
    return None if low is None or high is None else max(abs(low - 1.0), abs(high - 1.0))


@sign(
    "targets-not-probabilities",
    questions.LOSS_INPUTS,
    "fault",
    Scale(0.1, 1.0),
    from_start=True,
    check=checks.LOSS_INPUTS,
    proof="The targets' values: rows that do not sum to 1, or binary targets outside of 0 to 1.",
    refuters=(Fact("Label smoothing, mixup and several right classes, whose rows sum to 1."),),
)
def targets_not_probabilities(run: Run) -> Measured | str:
    """Whether a cross-entropy is given targets that are no probabilities: rows sum to 1, binary ones lie between 0 and
    1.

    Soft targets (label smoothing, mixup, a teacher's answers) sum to 1, also where several classes share it. Rows that
    sum to anything else are pixels, scores or several yes/no answers, for which another loss is meant. With labels of
    minus one, binary cross-entropy has no lowest value.
    """
    known = [(away, call) for call in run.training_losses if (away := _away(call)) is not None]
    if not known:
        return "no cross-entropy was given probabilities for targets"
    away, call = max(known, key=lambda pair: pair[0])
    # Half precision and rounding are no reason to speak.
    return Measured(away, f"{call.fn} gets {_described(call)}" + place(call.site), values={"away": away})


def _described(call: LossCall) -> str:
    if call.fn.startswith("binary_cross_entropy"):
        return f"targets from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)} (0 to 1 expected)"
    low, high = num(call.target.row_sum_min or 0.0), num(call.target.row_sum_max or 0.0)
    return f"target rows whose sums run from {low} to {high} (probabilities sum to 1)"


def _outside(call: LossCall, reach: OutputRange) -> float:
    low, high = call.target.min, call.target.max
    if low is None or high is None:
        return 0.0
    beyond = max(0.0, reach.low - low) + max(0.0, high - reach.high)
    width = high - low
    return min(beyond / width, 1.0) if width > 0 else float(beyond > 0)


@sign(
    "targets-outside-output-range",
    questions.LOSS_INPUTS,
    "fault",
    Scale(0.01, 0.25),
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The targets' smallest and largest values."),
        Fact("The graph names the activation that makes the output, and no output leaves its range."),
    ),
    refuters=(Fact("Some layer or scaling lies between that activation and the loss."),),
)
def targets_outside_output_range(run: Run) -> Measured | str:
    """Targets that the last activation cannot produce: how much of the targets' span lies outside its range.

    A hundredth is rounding or an outlier; a quarter is a task that cannot be learned.
    """
    calls = [c for c in run.training_losses if c.kind in (*REGRESSION, "bce") and c.target.min is not None]
    if not calls:
        return "no call of a regression loss with known targets was seen"
    bounded = [(call, reach) for call in calls if (reach := output_range(run, call)) is not None]
    if not bounded:
        return Measured(0.0, "no activation bounds the output")
    call, reach = max(bounded, key=lambda pair: _outside(*pair))
    share = _outside(call, reach)
    return Measured(
        share,
        f"targets run from {num(call.target.min or 0.0)} to {num(call.target.max or 0.0)}, the output's "
        f"{reach.activation} from {num(reach.low)} to {num(reach.high)}: {percent(share)} of the target range is out "
        f"of reach{place(call.site)}",
        values={"activation": reach.activation, "share": share},
    )


@sign(
    "target-bootstrapped",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    proof="The identity of the parameters behind the target: those of the prediction.",
    refuters=(Fact("The target is detached, computed without gradient, or made by another network."),),
)
def target_bootstrapped(run: Run) -> Measured | str:
    """Whether a regression's target is the network's own discounted output and carries gradient.

    `reward + gamma * net(next).max(1)`, without `detach()` or `no_grad()`: backward then moves the target towards the
    prediction as well, and the two meet where nothing was learned. Seen in the graph: a constant added to a discounted
    output, with the prediction's own parameters behind it.
    """
    calls = [call for call in run.training_losses if call.kind in ("squared", "absolute")]
    if not calls:
        return "no regression loss was seen"
    found = next((call for call in calls if call.target.bootstrapped), None)
    if found is None:
        return Measured(0.0, "no target is a discounted output of the network that carries gradient")
    text = (
        f"the target of {found.fn} is the network's own discounted output and carries gradient{place(found.site)}: "
        "backward moves the target too"
    )
    return Measured(1.0, text)
