"""What the loss is given as predictions."""

from __future__ import annotations

from ...record import Run
from ...record.program import REGRESSION, LossCall
from ...wording import num, percent
from .. import checks, questions
from .._base import RAISED, Fact, Measured, Scale, Unless, place, sign
from .._layers import RELU_LIKE, SQUASHING, output_module
from .._output import made_by
from .._tables import layer_medians

# A softmax in float16 sums to 1 within a few thousandths.
SUM_TOLERANCE = 5e-3
MAKE_LOGITS = ("addmm", "mm", "bmm", "linear", "convolution", "addbmm", "mkldnnconvolution")
LOSS_ITSELF = ("logsoftmax", "nllloss", "nllloss2d")


def _level(run: Run, call: LossCall) -> float:
    low, high = call.input.min, call.input.max
    if low is None or high is None or low < 0 or high > 1 or low == high:
        return 0.0
    made = made_by(run, call)
    if call.kind == "cross-entropy":
        sums = (call.input.row_sum_min, call.input.row_sum_max)
        rows_sum_to_one = all(total is not None and abs(total - 1) < SUM_TOLERANCE for total in sums)
        if rows_sum_to_one or made == "softmax":
            return 1.0
        return 0.9 if made == "sigmoid" else 0.0
    if made in ("sigmoid", "softmax"):
        return 1.0
    return 0.6 if call.calls >= 50 else 0.0


def _softmax_twice(run: Run) -> Measured | None:
    """A loss written by hand shows in the graph: a softmax of what a softmax made."""
    again = [entry for entry in run.graph.softmaxes if entry.of_softmax]
    if not again:
        return None
    sizes = " x ".join(str(size) for size in again[0].shape or ())
    return Measured(
        1.0,
        f"softmax is applied twice before the loss: to the scores and again to the probabilities ({sizes})",
        values={"min": 0.0, "max": 1.0, "made_by": "softmax", "fn": "softmax"},
    )


def _cannot_be_told(call: LossCall, maker: str) -> bool:
    """Values between 0 and 1, from nothing that is known to make logits: they may be either."""
    low, high = call.input.min, call.input.max
    return low is not None and high is not None and low >= 0 and high <= 1 and maker not in MAKE_LOGITS


@sign(
    "loss-inputs-are-probabilities",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    core=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("All values lie between 0 and 1."),
        Fact("Rows sum to 1, or the graph names a softmax or sigmoid as what made them; or a softmax of a softmax."),
    ),
    refuters=(Fact("Log-probabilities, which are never positive."), Fact("Some value lies outside of 0 to 1.")),
)
def loss_inputs_are_probabilities(run: Run) -> Measured | str:
    """Whether a loss that applies softmax or sigmoid itself is given probabilities.

    Seen in the values: rows that lie in [0, 1] and sum to 1, or values that a sigmoid made. Log-probabilities are
    harmless (log_softmax of log_softmax changes nothing) and are never positive. Logits of a binary loss that happen to
    lie in [0, 1] are possible in a short run, so without a sigmoid behind them the level stays near the border.
    """
    calls = [call for call in run.training_losses if call.kind in ("cross-entropy", "bce-logits", "soft-margin")]
    calls = [call for call in calls if call.input.min is not None]
    # A call that shows it names the line; the graph shows it in any style of code.
    twice = _softmax_twice(run) if not any(_level(run, call) >= 0.5 for call in calls) else None
    if twice is not None:
        return twice
    if not calls:
        return "no call of a loss that expects logits was seen"
    call = max(calls, key=lambda found: _level(run, found))
    level = _level(run, call)
    maker = made_by(run, call)
    if not level and _cannot_be_told(call, maker):
        low, high = num(call.input.min or 0.0), num(call.input.max or 0.0)
        return f"{call.fn} gets values from {low} to {high}, and what made them was not seen"
    # Behind a view, the operation found in the graph may be one of the loss itself.
    made = f", made by {maker}" if call.made_by and maker not in LOSS_ITSELF else ""
    return Measured(
        level,
        f"{call.fn} expects logits and gets {'probabilities' if level >= RAISED else 'logits'}: values from "
        f"{num(call.input.min or 0.0)} to {num(call.input.max or 0.0)}{made}{place(call.site)}",
        values={"min": call.input.min, "max": call.input.max, "made_by": call.made_by, "fn": call.fn},
    )


@sign(
    "loss-inputs-not-log-probabilities",
    questions.LOSS_INPUTS,
    "fault",
    Scale(1e-3, 1e-2),
    from_start=True,
    check=checks.LOSS_INPUTS,
    proof="The values: the logarithm of a probability is never above 0, and a probability never below it.",
    refuters=(Fact("Above 0 by rounding only."),),
)
def loss_inputs_not_log_probabilities(run: Run) -> Measured | str:
    """Whether a loss that expects log-probabilities (nll_loss, kl_div) is given values above zero.

    No logarithm of a probability is positive; a little above zero is rounding. How far above does not matter. Where
    scores were divided by their sum first, as Keras does without `from_logits`, their logarithm is never positive; but
    no score that is meant as a probability is negative.
    """
    calls = [c for c in run.training_losses if c.kind in ("nll", "kl") and c.input.max is not None]
    if not calls:
        return "no call of a loss that expects log-probabilities was seen"
    divided = {call.input.divided_min or 0.0: call for call in calls}
    low = min(divided)
    if low < 0:
        return Measured(
            -low,
            f"{divided[low].fn} expects log-probabilities and gets the logarithm of scores divided by their sum: "
            f"scores down to {num(low)} are no probabilities{place(divided[low].site)}",
            values={"max": divided[low].input.max, "min": divided[low].input.min, "fn": divided[low].fn},
        )
    call = max(calls, key=lambda c: c.input.max or 0.0)
    high = call.input.max or 0.0
    return Measured(
        high,
        f"{call.fn} expects log-probabilities (never above 0) and gets values up to {num(high)}{place(call.site)}",
        values={"max": high, "min": call.input.min, "fn": call.fn},
    )


POSITIVE = ("softplus", "exp", "relu", "abs", "square", "pow")


@sign(
    "rates-for-logarithms",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The values are never negative."),
        Fact("The graph names an operation that makes rates, and the call has `log_input=True`."),
    ),
    refuters=(Fact("Some value is negative, as logarithms of rates are."),),
)
def rates_for_logarithms(run: Run) -> Measured | str:
    """Whether poisson_nll_loss, which by default takes the logarithm of a rate, is given rates.

    Rates are made positive by softplus, exp or ReLU; a logarithm is not. With `log_input=True` the loss of such an
    output is lowest where its exponential, not itself, is the count.
    """
    calls = [call for call in run.training_losses if call.log_input is not None]
    if not calls:
        return "poisson_nll_loss was not called"
    wrong = [call for call in calls if call.log_input and made_by(run, call) in POSITIVE]
    call = (wrong or calls)[0]
    level = 1.0 if wrong and (call.input.min or 0.0) >= 0.0 else 0.0
    words = (
        f"{call.fn} expects log-rates (log_input=True) and gets the output of {made_by(run, call)}, which is never "
        "negative"
        if level
        else f"{call.fn} gets inputs of the kind it expects"
    )
    return Measured(level, words + place(call.site))


@sign(
    "loss-over-one-class",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    proof="The shape: one score per sample.",
    refuters=(Fact("Some other axis holds the classes."),),
)
def loss_over_one_class(run: Run) -> Measured | str:
    """Whether a cross-entropy chooses among a single class: it is 0, or a constant, whatever the model says. 1 or 0."""
    calls = [call for call in run.training_losses if call.kind == "cross-entropy" and len(call.input.shape or ()) >= 2]
    if not calls:
        return "no cross-entropy between classes was seen"
    call = min(calls, key=lambda each: (each.input.shape or (0, 0))[1])
    sizes = list(call.input.shape or ())
    alone = sizes[1] == 1
    return Measured(
        float(sizes[1]),
        f"{call.fn} gets one score per sample, shape {sizes}: with one class the loss is always zero{place(call.site)}"
        if alone
        else f"{call.fn} compares {sizes[1]} classes",
        float(alone),
    )


@sign(
    "errors-cancel",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    proof="The order of the operations in the graph of the loss: the mean before the magnitude.",
    refuters=(Fact("The loss is a sum of several terms, of which this is one."),),
)
def errors_cancel(run: Run) -> Measured | str:
    """Whether the loss is the size of a mean error: errors of unlike sign cancel, and any spread of answers is as good.

    `(output - target).mean().abs()` falls to zero as soon as the mean is right. The graph shows the order of the two.
    """
    known = [graph.errors_cancel for graph in run.graphs if graph.errors_cancel is not None]
    if not known:
        return "the graph behind the loss was not looked at"
    level = 1.0 if any(known) else 0.0
    words = (
        "the loss is the absolute mean error: errors of opposite sign cancel"
        if level
        else "the loss averages the magnitude of each error"
    )
    return Measured(level, words)


TAKE_LOGITS = ("cross_entropy", "binary_cross_entropy_with_logits", "multi_margin_loss")


@sign(
    "logits-clipped",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The smallest score is exactly 0 at every look."),
        Fact("The graph names a ReLU as what made the scores."),
    ),
    refuters=(Fact("Another call of a loss gets scores that are not cut."),),
)
def logits_clipped(run: Run) -> Measured | str:
    """A ReLU between the last layer and a loss that takes logits.

    No score can fall below zero then. A class whose score is zero for every sample gets no gradient any more, and a
    sample whose scores are all zero is predicted by chance.
    """
    calls = [call for call in run.training_losses if call.fn in TAKE_LOGITS and call.input.min is not None]
    if not calls:
        return "no call of a loss that takes logits was seen"
    clipped = [call for call in calls if call.input.min == 0.0 and made_by(run, call) == "relu"]
    call = (clipped or calls)[0]
    level = 1.0 if clipped and len(clipped) == len(calls) else 0.0
    low, high = num(call.input.min or 0.0), num(call.input.max or 0.0)
    words = f"{call.fn} takes logits, but a ReLU cuts them off at zero: values from {low} to {high}"
    return Measured(
        float(level > 0),
        f"{words}{place(call.site)}" if level else "no ReLU lies between the last layer and the loss",
        level,
        values={"activation": "relu"},
    )


@sign("outputs-pinned", questions.LOSS_INPUTS, "dynamics", Scale(0.6, 0.95), end="deep")
def outputs_pinned(run: Run) -> Measured | str:
    """Outputs that sit at the bound of the last activation late in the run, for a regression.

    Targets of two values are right there.
    """
    calls = [call for call in run.training_losses if call.kind in REGRESSION]
    last = output_module(run.modules, (*SQUASHING, *RELU_LIKE))
    if not calls or last is None:
        return "no regression whose output comes from a bounded activation was seen"
    table = run.layers("act_zero" if last.type in RELU_LIKE else "act_saturated")
    share = layer_medians(table, 0.75).get(last.name)
    if share is None:
        return "the output activation was not looked at"
    two = all((call.target.distinct or 3.0) <= 2 for call in calls)
    return Measured(
        share,
        f"{percent(share)} of the outputs of `{last.name or last.type}` are at the limit of its range late in the run",
        values={"module": last.name, "type": last.type},
        unless=Unless(two, "the targets have two values, so outputs at the bounds may be right"),
    )
