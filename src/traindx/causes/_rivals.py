"""Signs that show another fault, which explains the dynamics: evidence against a cause that only imitates it.

A fault that was seen outranks the dynamics it produces. The weights are in log-odds at level 1: 3 makes the
imitator twenty times less likely, 1.5 leaves it a real rival because both may hold at once.
"""

from __future__ import annotations

# The step that is taken is not the step that was meant.
UPDATE_FAULTS = {
    "grads-kept": 3.0,
    "backward-without-step": 4.0,
    "params-outside-optimizer": 2.0,
    "crash-no-graph": 4.0,
    "params-without-gradient": 2.0,
    "loss-negated": 3.0,
    "accumulation-unscaled": 3.0,
    "clip-before-unscale": 3.0,
}

# The loss is not the loss that was meant.
LOSS_FAULTS = {
    "loss-inputs-are-probabilities": 3.0,
    "loss-inputs-not-log-probabilities": 3.0,
    "class-ids-in-regression-loss": 3.0,
    "targets-outside-output-range": 2.5,
    "loss-broadcasts": 3.0,
    "softmax-over-batch": 3.0,
}

# The numbers go bad by themselves, whatever the steps do.
NUMBER_FAULTS = {
    "input-nonfinite": 4.0,
    "target-nonfinite": 4.0,
    "nonfinite-from-operation": 3.0,
    "half-precision-overflow": 3.0,
    "half-precision-unscaled": 2.0,
}

# Data whose size alone drives the steps.
SCALE_FAULTS = {"input-scale-odd": 1.5, "input-scale-spread": 1.0, "target-scale-large": 2.0}

# The signal does not pass through the model.
SIGNAL_FAULTS = {
    "gradients-vanish-with-depth": 2.0,
    "dead-units": 2.0,
    "saturated-units": 1.5,
    "init-scale-small": 2.0,
    "init-scale-large": 1.5,
    "rows-identical": 3.0,
    "linear-chain": 1.5,
}

# Samples and answers do not belong together.
DATA_FAULTS = {"axes-scrambled": 3.0, "future-visible": 2.0, "samples-shared": 1.5, "batches-single-class": 2.0}

# The model behaves differently in training and in evaluation.
MODE_FAULTS = {"train-in-eval-mode": 3.0, "eval-in-train-mode": 3.0, "norm-tiny-batch": 2.0}
