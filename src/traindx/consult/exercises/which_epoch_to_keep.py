"""A classifier of tumours, trained on forty patients. The log looks successful: training loss falls to 0.004.

By hand: plot training and validation loss over the epochs, in one picture. Find the epoch with the lowest
validation loss. Compare the number of training samples with the number of weights.

Question: which cause is it? (And which epoch would you keep?)
"""

from __future__ import annotations

from ._base import named_cause, patient

NUMBER = 3
PART = "Loss curves"
TITLE = "Which epoch to keep"
HINTS = (
    "When does validation loss start to rise? What does training loss do after that?",
    "A model that has memorised every training sample has a training loss near zero. Is that what you wanted?",
)
SOLUTION = """
Validation loss has its minimum near step 33 (0.43) and ends at 1.6, while training loss falls to 0.004: the
network memorises forty patients. Keep the checkpoint of the minimum; then get more data, or regularise.

Remember: training loss shows how well the samples are known, validation loss shows what was learned. The
turning point is the answer to "which epoch".
"""

source = patient("tabular_cancer/overfitting/forty-patients-flipped-labels/0")
judge = named_cause(
    "overfitting",
    {
        "noisy-labels": (
            "Some labels are indeed wrong and make it worse. But training loss near zero with forty samples matters "
            "more: which curve turns, and when?"
        ),
        "eval-mode-missing": (
            "model.eval() is called. And a wrong mode shows from the first evaluation on, not from a turning point."
        ),
        "train-val-mismatch": "Then validation would be bad from the beginning. Here it is good at first and turns.",
        "lr-too-high": "Training loss falls smoothly to almost zero: the steps are fine.",
    },
)
