"""Questions that signs of the first steps answer: which signs, and what a pass means."""

from __future__ import annotations

from dataclasses import dataclass

from ...signs import Signs
from .types import Answer


@dataclass(frozen=True)
class Question:
    id: str
    group: str
    signs: tuple[str, ...]
    passed: str  # the sentence when nothing is raised


QUESTIONS = (
    Question("finite-data", "data", ("input-nonfinite", "target-nonfinite"), "inputs and targets are finite"),
    Question(
        "scales", "data", ("input-scale-odd", "input-scale-spread", "target-scale-large"),
        "inputs and targets have ordinary scales",
    ),
    Question("class-balance", "data", ("labels-skewed",), "no class dominates"),
    Question(
        "label-order", "data", ("batches-single-class", "sequential-sampler"),
        "training batches are mixed and shuffled",
    ),
    Question("overlap", "data", ("samples-shared",), "no evaluation sample occurs in the training data"),
    Question(
        "same-preparation", "data", ("train-eval-inputs-differ",), "training and evaluation data are preprocessed alike"
    ),
    Question("no-answer-in-input", "data", ("feature-determines-target",), "no input column determines the target"),
    Question("loader-wait", "data", ("data-wait",), "training does not wait for data"),
    Question("first-loss", "start", ("first-loss-above-chance",), "the first loss is at chance level"),
    Question(
        "gradient-flow", "start",
        ("gradients-vanish-with-depth", "gradients-explode-with-depth", "gradient-underflow"),
        "gradient norms are similar in all layers",
    ),
    Question(
        "variance-by-depth", "start", ("activation-variance-shrinks", "activation-variance-grows"),
        "activations keep their variance with depth",
    ),
    Question("initial-weights", "start", ("init-scale-small", "init-scale-large"), "initial weights suit their fan-in"),
    Question("symmetry", "start", ("rows-identical",), "units are initialised differently"),
    Question(
        "first-steps", "start",
        ("loss-not-finite", "nonfinite-from-operation", "half-precision-overflow", "optimizer-setting-odd",
         "loss-diverged"),
        "the first steps are finite and stable",
    ),
    Question("step-size", "start", ("steps-make-worse",), "each step lowers the loss of its own batch"),
    Question(
        "gradients-arrive", "wiring", ("params-without-gradient", "params-zero-gradient"),
        "every trainable parameter gets a gradient",
    ),
    Question(
        "weights-move", "wiring",
        ("params-never-move", "params-outside-optimizer", "fresh-layers-frozen", "backward-without-step",
         "updates-lost-to-rounding"),
        "every weight with a gradient is updated",
    ),
    Question(
        "gradients-cleared", "wiring", ("grads-kept", "accumulation-unscaled", "clip-before-unscale"),
        "gradients are cleared before each step",
    ),
    Question("training-mode", "wiring", ("train-in-eval-mode",), "training runs in train mode"),
    Question("evaluation-mode", "wiring", ("eval-in-train-mode",), "evaluation runs in eval mode"),
    Question("modes-agree", "wiring", ("modes-disagree",), "a batch has a similar loss in train and eval mode"),
    Question(
        "loss-inputs", "wiring",
        ("loss-inputs-are-probabilities", "loss-inputs-not-log-probabilities", "loss-broadcasts",
         "class-ids-in-regression-loss", "targets-outside-output-range", "softmax-over-batch", "loss-negated",
         "half-precision-unscaled"),
        "loss inputs have the right kind, shape and range",
    ),
    Question("axes", "wiring", ("axes-scrambled", "norm-tiny-batch"), "no view or reshape scrambles axes"),
)  # fmt: skip


def answer(question: Question, signs: Signs) -> Answer:
    """Raised and critical: failed. Raised: doubtful. None of the signs measured: unasked."""
    measured = [signs[name] for name in question.signs if name in signs]
    raised = sorted(
        (sign for sign in measured if sign.raised and sign.severity != "info"),
        key=lambda sign: (sign.severity != "critical", -sign.level),
    )
    if raised:
        status = "failed" if raised[0].severity == "critical" else "doubtful"
        return Answer(
            question.id,
            question.group,
            status,  # type: ignore[arg-type]
            "; ".join(sign.text for sign in raised[:2]),
            {"signs": [sign.id for sign in raised]},
        )
    if not measured:
        reasons = [signs.missing[name].reason for name in question.signs if name in signs.missing]
        return Answer(question.id, question.group, "unasked", reasons[0] if reasons else "not measured")
    return Answer(question.id, question.group, "passed", question.passed)
