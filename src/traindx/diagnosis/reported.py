"""How often causes are reported by people who ask for help, in percent. Rough; answers outweigh it.

One engineer's reading of PyTorch questions in forums and issue trackers, together with counts over 58 real Keras
programs (Cao et al., DeepFD, ICSE 2022: learning rate 31 %, epochs 29 %, loss 28 %, preprocessing 21 %). A judgement,
not a measurement: programs with planted faults cannot tell how often a fault occurs.
"""

from __future__ import annotations

SHARES = {
    "lr-too-high": 12.0, "no-warmup": 4.0, "lr-too-low": 4.0, "lr-never-decays": 1.5, "lr-decays-too-soon": 1.5,
    "double-softmax": 5.0, "output-range-mismatch": 3.0, "wrong-loss": 4.0, "broadcast-loss": 2.5,
    "softmax-wrong-axis": 1.0, "scrambled-axes": 1.5, "padding-in-loss": 1.0, "loss-sign-flipped": 0.7,
    "noisy-labels": 4.0, "train-val-mismatch": 4.0, "class-imbalance": 4.0, "target-leakage": 1.0,
    "leaked-validation": 1.0, "validation-on-nothing": 0.5, "unshuffled-data": 2.0,
    "unscaled-inputs": 6.0, "unscaled-targets": 3.0, "unstable-math": 4.0, "nonfinite-data": 3.0, "bad-batch": 2.0,
    "low-precision": 2.5, "clip-before-unscale": 0.5, "clip-too-tight": 0.7,
    "eval-mode-missing": 4.0, "train-mode-missing": 1.5, "batchnorm-tiny-batch": 2.0,
    "params-not-in-optimizer": 3.0, "frozen-layers": 2.0, "detached-graph": 3.0,
    "overfitting": 7.0, "undertrained": 5.0, "over-regularized": 1.5, "model-too-small": 2.0,
    "missing-zero-grad": 3.5, "unscaled-accumulation": 1.5, "weight-decay-too-strong": 1.0,
    "optimizer-misconfigured": 1.0, "batch-too-small": 1.0, "batch-too-large": 1.0,
    "vanishing-gradients": 2.0, "exploding-gradients": 2.5, "dead-relus": 1.5, "saturated-activations": 1.0,
    "init-too-large": 1.0, "init-too-small": 0.7, "symmetric-init": 0.5, "no-nonlinearity": 0.5,
    "slow-data-loading": 3.0, "graph-retained": 2.0,
}  # fmt: skip
RARE = 0.5  # of causes that are not listed
