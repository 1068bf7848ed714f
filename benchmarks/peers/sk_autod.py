"""sk-autod: detectors over a training and a validation loss of equal length; it needs both."""

from __future__ import annotations

import numpy as np
from sk_autod import diagnose

from ._base import Said, Table

NAME = "sk-autod"
CLAIMS = {"overfitting", "diverged", "oscillating", "stuck"}
LABELS = {
    "Classic overfitting": "overfitting", "Missed early stopping": "overfitting", "Exploding gradient": "diverged",
    "LR too high": "oscillating", "Noisy training": "oscillating", "Underfitting": "stuck", "LR too low": "stuck",
    "Dying ReLU proxy": "stuck",
}  # fmt: skip
GRAVE = ("CRITICAL", "HIGH", "MEDIUM", "WARNING")


def say(table: Table) -> list[Said]:
    if len(table.validation) < 3 or not len(table.train):
        return []
    train = table.training_at_evaluations()
    if not (np.isfinite(train).all() and np.isfinite(table.validation).all()):
        return []
    try:
        findings = diagnose(train.tolist(), table.validation.tolist()).findings
    except ValueError:  # it refuses short curves
        return []
    return [
        Said(LABELS.get(f.detector_name, f.detector_name), f.severity.value in GRAVE, f.detector_name) for f in findings
    ]
