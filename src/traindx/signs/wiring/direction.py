"""A loss that is minimised in the wrong direction."""

from __future__ import annotations

import numpy as np

from ...record import Run
from ...record.program import LossCall
from ...wording import counted, num
from .. import checks, questions
from .._base import Fact, Measured, Sign, place, sign
from .._tables import paired
from ..curve import once

BY_HAND = "log_softmax by hand"


def _negative(run: Run, sign: Sign) -> str | None:
    if sign.values.get("maximize"):
        return "every optimizer has maximize=True"
    by_hand = sign.values.get("fn") == BY_HAND and (run.series("loss/train").finite.values < 0).any()
    return "what backward got is negative" if by_hand or (sign.value < 0 and sign.values.get("fn") != BY_HAND) else None


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


def _weighed(run: Run, _sign: Sign) -> str | None:
    parts = {
        "loss function": len([call for call in run.training_losses if call.kind and call.value_ratio is not None]),
        "backward call": len(run.backward_sites),
        "optimizer": len(run.optimizers),
    }
    most = max(parts, key=lambda name: parts[name])
    return (
        f"training uses {counted(parts[most], most)}, so one loss may be negative on purpose"
        if parts[most] > 1
        else None
    )


def _of_inputs(run: Run, _sign: Sign) -> str | None:
    """An attack, or an image that a network likes best: what is trained are inputs, and the model is frozen."""
    weights = [p for p in run.parameters if p.module]
    beside = any(p.optimizer is not None for p in run.parameters if not p.module)
    inputs = weights and beside and all(p.trains is False for p in weights)
    return "no weight of the model is trained, but its inputs are" if inputs else None


@sign(
    "loss-negated",
    questions.LOSS_INPUTS,
    "fault",
    from_start=True,
    check=checks.LOSS_INPUTS,
    witnesses=(
        Fact("The graph, or `maximize=True`, gives a standard loss a minus."),
        Fact("In numbers: backward got the negative of what the function returned.", _negative),
    ),
    refuters=(
        Fact("Losses of one's own, likelihoods and scores, are written with a minus."),
        Fact("Several losses, of which one is negative on purpose.", _weighed),
        Fact("The model is frozen, and its inputs are trained, as in an attack.", _of_inputs),
    ),
)
def loss_negated(run: Run) -> Measured | str:
    """Whether training goes up a standard loss: backward got its negative, or the optimizer maximizes.

    A minus before a likelihood or a score is how many losses are written, so only the sign of a standard loss function
    counts. The graph shows with which sign each function enters what is differentiated, whatever else is added or taken
    away. A function that the graph does not show by itself (`l1_loss`) is judged by what backward got, over what it
    returned, as long as that is a constant multiple.
    """
    calls = [call for call in run.training_losses if call.kind and call.value_ratio is not None]
    if not calls and any(graph.lowers_likelihood for graph in run.graphs):
        words = "the loss is the mean log-probability of the labels without a minus: training makes labels less likely"
        return Measured(-1.0, words, 1.0, values={"fn": BY_HAND})
    if not calls:
        return "no standard loss function was compared with what backward got"
    settings = [group.settings.get("maximize") is True for group in run.groups]
    upward = -1.0 if settings and all(settings) else 1.0
    wrong = [call for call in calls if _sign(run, call) * upward < 0]
    level = float(bool(wrong))
    call = (wrong or calls)[0]
    ratio = (call.value_ratio or 0.0) * upward
    return Measured(
        ratio,
        f"training {'maximises' if wrong else 'minimises'} {call.fn}: {_what_backward_got(run, call)}"
        f"{' and the optimizer has maximize=True' if upward < 0 else ''}{place(call.site)}",
        level,
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
    found = [graph.loss_signs for graph in run.graphs if graph.loss_signs is not None]
    signs = {signs[node] for signs in found for node in NODES.get(call.fn, ()) if node in signs}
    if not signs:
        # A function that the graph would show, but not behind sums and constant factors only: nothing is known.
        return 0.0 if found and call.fn in NODES else None
    return float(signs.pop()) if len(signs) == 1 else 0.0


@once
def _is_constant(run: Run) -> bool:
    function, total = paired(run.series("loss/function"), run.series("loss/train"))
    ratios = total[function != 0] / function[function != 0]
    if len(ratios) < 3:
        return True
    low, middle, high = np.quantile(ratios, [0.1, 0.5, 0.9])
    return bool(high - low <= CONSTANT * abs(middle))


def _what_backward_got(run: Run, call: LossCall) -> str:
    if _is_constant(run):
        return f"backward() got {num(call.value_ratio or 0.0)} times its value"
    return f"it enters the total loss with a {'minus' if _sign(run, call) < 0 else 'plus'} sign, beside other terms"
