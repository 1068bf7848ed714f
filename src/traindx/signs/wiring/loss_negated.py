"""Whether training goes up a standard loss: backward got its negative, or the optimizer maximizes.

A minus before a likelihood or a score is how many losses are written, so only the sign of a standard loss function
counts. The graph shows with which sign each function enters what is differentiated, whatever else is added or taken
away. A function that the graph does not show by itself (`l1_loss`) is judged by what backward got, over what it
returned, as long as that is a constant multiple.
"""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.losses import LossCall
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, if_raised, place

ID = "loss-negated"
QUESTION = questions.LOSS_INPUTS
SHOWS = "fault"
RIVAL = ("update", 3.0)
CHECK = checks.LOSS_INPUTS

# What the graph calls a loss function.
NODES = {
    "cross_entropy": ("nllloss", "nllloss2d"),
    "nll_loss": ("nllloss", "nllloss2d"),
    "mse_loss": ("mseloss",),
    "smooth_l1_loss": ("smoothl1loss",),
    "huber_loss": ("huberloss",),
    "binary_cross_entropy": ("binarycrossentropy",),
    "binary_cross_entropy_with_logits": ("binarycrossentropywithlogits",),
    "ctc_loss": ("ctcloss",),
}
CONSTANT = 0.05  # relative spread below which a ratio is one number


def measure(run: Run) -> Sign | Missing:
    calls = [call for call in run.training_losses if call.kind and call.value_ratio is not None]
    if not calls and any(graph.get("lowers_likelihood") is True for graph in run.graphs):
        words = "the loss is the mean log-probability of the labels without a minus: training makes labels less likely"
        return Sign(ID, -1.0, 1.0, words, onset=0, severity="critical", values={"fn": "log_softmax by hand"})
    if not calls:
        return Missing(ID, "no standard loss function was compared with what backward got")
    settings = [group.settings.get("maximize") is True for group in run.groups]
    upward = -1.0 if settings and all(settings) else 1.0
    wrong = [call for call in calls if _sign(run, call) * upward < 0]
    level = float(bool(wrong))
    call = (wrong or calls)[0]
    ratio = (call.value_ratio or 0.0) * upward
    return Sign(
        ID,
        ratio,
        level,
        f"training {'maximises' if wrong else 'minimises'} {call.fn}: {_what_backward_got(run, call)}"
        f"{' and the optimizer has maximize=True' if upward < 0 else ''}{place(call.site)}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"ratio": ratio, "fn": call.fn, "maximize": upward < 0},
    )


def _sign(run: Run, call: LossCall) -> float:
    """With which sign the function enters what is differentiated; 0 if that is not known."""
    shown = _shown(run, call)
    if shown is not None:
        return shown
    return call.value_ratio or 0.0 if _is_constant(run) else 0.0


def _shown(run: Run, call: LossCall) -> float | None:
    """The sign as the graph shows it."""
    found = [graph["loss_signs"] for graph in run.graphs if isinstance(graph.get("loss_signs"), dict)]
    signs = {signs[node] for signs in found for node in NODES.get(call.fn, ()) if node in signs}
    if not signs:
        # A function that the graph would show, but not behind sums and constant factors only: nothing is known.
        return 0.0 if found and call.fn in NODES else None
    return float(signs.pop()) if len(signs) == 1 else 0.0


def _is_constant(run: Run) -> bool:
    function, total = run.series("loss/function").finite, run.series("loss/train").finite
    values = [dict(zip(s.steps.tolist(), s.values.tolist(), strict=True)) for s in (function, total)]
    ratios = [values[1][step] / value for step, value in values[0].items() if value and step in values[1]]
    if len(ratios) < 3:
        return True
    low, middle, high = np.quantile(ratios, [0.1, 0.5, 0.9])
    return bool(high - low <= CONSTANT * abs(middle))


def _what_backward_got(run: Run, call: LossCall) -> str:
    if _is_constant(run):
        return f"backward() got {num(call.value_ratio or 0.0)} times its value"
    return f"it enters the total loss with a {'minus' if _sign(run, call) < 0 else 'plus'} sign, beside other terms"
