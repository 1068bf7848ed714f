"""What an engineer would ask of a run, and the signs that answer."""

from __future__ import annotations

from ..record import Run
from ..signs import Sign, Signs, by_experiment
from .types import Question

# question -> (signs that answer it, what to say when all of them are normal)
_ASKED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "Does the loss stay finite?",
        ("loss-not-finite", "nonfinite-from-operation", "nonfinite-from-weights", "half-precision-overflow"),
        "the loss is finite throughout",
    ),
    (
        "Does it fall?",
        ("loss-diverged", "loss-stuck", "loss-heads-wrong-way", "loss-oscillating", "loss-plateau",
         "loss-falling-slowly", "training-at-chance", "loss-spike", "still-improving"),
        "the training loss falls and settles",
    ),
    (
        "Is what the loss is given of the right kind?",
        ("loss-inputs-are-probabilities", "loss-inputs-not-log-probabilities", "class-ids-in-regression-loss",
         "targets-outside-output-range", "targets-not-probabilities", "loss-broadcasts", "softmax-over-batch",
         "errors-cancel", "labels-without-sign", "rates-for-logarithms", "loss-negated"),
        "inputs and targets of the loss fit each other",
    ),
    (
        "Are gradients cleared, and does every parameter take part?",
        ("grads-kept", "params-outside-optimizer", "params-never-move", "params-without-gradient",
         "params-zero-gradient", "fresh-layers-frozen", "backward-without-step", "accumulation-unscaled"),
        "gradients are cleared every step, and all parameters move",
    ),
    (
        "Does the gradient reach every layer?",
        ("gradients-vanish-with-depth", "gradients-explode-with-depth", "gradients-fade-along-chain",
         "gradients-grow-along-chain", "dead-units", "saturated-units", "init-scale-small", "init-scale-large",
         "rows-identical", "linear-chain"),
        "gradient sizes are of one order by depth, units are alive",
    ),
    (
        "How large are the steps?",
        ("update-ratio-high", "update-ratio-low", "step-overshoots", "steps-make-worse", "beyond-stability-edge",
         "clip-share", "decay-dominates", "decay-forgets"),
        "updates are of a usual size against the weights",
    ),
    (
        "Does the learning rate last?",
        ("lr-collapsed",),
        "the learning rate lasts as long as the loss needs it",
    ),
    (
        "Are the data in order?",
        ("input-nonfinite", "target-nonfinite", "input-scale-odd", "input-scale-spread", "target-scale-large",
         "batches-single-class", "batches-alike", "labels-skewed", "batch-outlier", "axes-scrambled",
         "train-eval-inputs-differ"),
        "inputs and targets are finite, scaled and mixed",
    ),
    (
        "Does validation follow training?",
        ("validation-rising", "validation-gap", "validation-at-chance", "samples-shared", "future-visible",
         "feature-determines-target", "eval-in-train-mode", "train-in-eval-mode", "norm-tiny-batch"),
        "validation follows training",
    ),
    (
        "What do experiments show?",
        ("one-batch-not-learnt", "one-batch-needs-lower-rate", "one-batch-needs-higher-rate", "samples-mixed",
         "output-ignores-input", "modes-disagree", "spike-from-data", "spike-from-step"),
        "one batch can be learnt, outputs depend on their own input alone",
    ),
    (
        "Where does the time go?",
        ("data-wait", "memory-growth", "graph-growth", "backward-slowing"),
        "time is spent computing, memory and step time are steady",
    ),
)  # fmt: skip

# One of these must have been measured to say that all is normal: the others of their question touch only a part of it.
_CORE = {
    "Are gradients cleared, and does every parameter take part?": {"grads-kept", "params-never-move"},
    "Does the gradient reach every layer?": {"gradients-vanish-with-depth", "dead-units", "saturated-units"},
    "How large are the steps?": {"update-ratio-high", "update-ratio-low"},
}


def _measured(signs: Signs, asked: str, ids: tuple[str, ...]) -> list[Sign]:
    """The answers, or none where they are about a part of the question and nothing is amiss."""
    found = [signs[sign] for sign in ids if sign in signs]
    core = _CORE.get(asked)
    partial = core is not None and not any(sign.id in core or sign.raised for sign in found)
    return [] if partial else found


def questions(signs: Signs) -> list[Question]:
    """The questions that this run can answer, with the finding."""
    found = []
    for asked, ids, normal in _ASKED:
        measured = _measured(signs, asked, ids)
        if not measured:
            continue
        raised = max(measured, key=lambda sign: sign.level)
        found.append(Question(asked, raised.text if raised.raised else normal))
    return found


def checked(signs: Signs) -> list[str]:
    """What was looked at and found in order."""
    return [
        normal
        for asked, ids, normal in _ASKED
        if (measured := _measured(signs, asked, ids)) and not any(sign.raised for sign in measured)
    ]


def not_checked(signs: Signs, run: Run) -> list[str]:
    """What this run could not be asked."""
    absent = [
        asked.rstrip("?").lower()
        for asked, ids, _ in _ASKED
        if not _measured(signs, asked, ids) and not by_experiment().issuperset(ids)
    ]
    if run.kind != "observed" and absent:
        # Read as one sentence: the reason stands in front of the first.
        return [f"a log cannot tell: {absent[0]}", *absent[1:]]
    return absent
