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
    "When does validation loss turn? What does training loss do after that?",
    "A model that knows every training sample by heart has training loss near zero. Is that what you wanted?",
)
SOLUTION = """
Validation loss has its minimum near step 33 (0.43) and ends at 1.6, while training loss goes on to 0.004: the
network learns forty patients by heart. Keep the checkpoint of the minimum; then get more data, or regularise.

Remember: training loss tells how well the samples are known, validation loss what was learned. The turning
point is the answer to "which epoch".
"""

source = patient("tabular_cancer/overfitting/forty-patients-flipped-labels/0")
judge = named_cause(
    "overfitting",
    {
        "noisy-labels": (
            "Some labels are wrong indeed, and they make it worse. But training loss near zero with forty samples "
            "is the larger story: which curve turns, and when?"
        ),
        "eval-mode-missing": (
            "model.eval() is called. And a wrong mode shows from the first evaluation on, not from a turning point."
        ),
        "train-val-mismatch": "Then validation would be bad from the beginning. Here it is good at first and turns.",
        "lr-too-high": "Training loss falls smoothly to almost zero: the steps are fine.",
    },
)
