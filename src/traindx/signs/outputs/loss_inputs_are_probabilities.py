"""Whether a loss that applies softmax or sigmoid itself is given probabilities.

Seen in the values: rows that lie in [0, 1] and sum to 1, or values that a sigmoid made. Log-probabilities are harmless
(log_softmax of log_softmax changes nothing) and are never positive. Logits of a binary loss that happen to lie in
[0, 1] are possible in a short run, so without a sigmoid behind them the level stays near the border.
"""

from __future__ import annotations

from ...record import Run
from ...record.losses import LossCall
from ...record.values import entries, number, shape
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place
from .._output import made_by

ID = "loss-inputs-are-probabilities"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("loss", 3.0)
CORE = True
CHECK = checks.LOSS_INPUTS
# A softmax in float16 sums to 1 within a few thousandths.
SUM_TOLERANCE = 5e-3
LOSS_ITSELF = ("logsoftmax", "nllloss", "nllloss2d")


def _level(run: Run, call: LossCall) -> float:
    low, high = call.input.min, call.input.max
    if low is None or high is None or low < 0 or high > 1 or low == high:
        return 0.0
    made = made_by(run, call)
    if call.kind == "cross-entropy":
        sums = [number(call.input.facts.get(key)) for key in ("row_sum_min", "row_sum_max")]
        rows_sum_to_one = all(total is not None and abs(total - 1) < SUM_TOLERANCE for total in sums)
        if rows_sum_to_one or made == "softmax":
            return 1.0
        return 0.9 if made == "sigmoid" else 0.0
    if made in ("sigmoid", "softmax"):
        return 1.0
    return 0.6 if call.calls >= 50 else 0.0


def _softmax_twice(run: Run) -> Sign | None:
    """A loss written by hand shows in the graph: a softmax of what a softmax made."""
    again = [entry for entry in entries(run.fact("graph").get("softmaxes")) if entry.get("of_softmax") is True]
    if not again:
        return None
    sizes = " x ".join(str(size) for size in shape(again[0].get("shape")) or ())
    return Sign(
        ID,
        1.0,
        1.0,
        f"softmax is applied twice before the loss: to the scores and again to the probabilities ({sizes})",
        onset=0,
        severity=if_raised(1.0, "critical"),
        values={"min": 0.0, "max": 1.0, "made_by": "softmax", "fn": "softmax"},
    )


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind in ("cross-entropy", "bce-logits", "soft-margin")]
    calls = [call for call in calls if call.input.min is not None]
    # A call that shows it names the line; the graph shows it in any style of code.
    twice = _softmax_twice(run) if not any(_level(run, call) >= 0.5 for call in calls) else None
    if twice is not None:
        return twice
    if not calls:
        return Missing(ID, "no call of a loss that expects logits was seen")
    call = max(calls, key=lambda found: _level(run, found))
    level = _level(run, call)
    maker = made_by(run, call)
    # Behind a view, the operation found in the graph may be one of the loss itself.
    made = f", made by {maker}" if call.made_by and maker not in LOSS_ITSELF else ""
    return Sign(
        ID,
        level,
        level,
        f"{call.fn} expects logits and gets {'probabilities' if level >= 0.5 else 'logits'}: values from "
        f"{num(call.input.min or 0.0)} to {num(call.input.max or 0.0)}{made}{place(call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"min": call.input.min, "max": call.input.max, "made_by": call.made_by, "fn": call.fn},
    )
