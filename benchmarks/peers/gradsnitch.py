"""gradsnitch: a linter of exported metrics that returns nothing unless a signature is unambiguous."""

from __future__ import annotations

import pandas as pd
from gradsnitch import lint

from ._base import Said, Table

NAME = "gradsnitch"
CLAIMS = {"nonfinite", "overfitting", "plateau", "stuck", "diverged", "oscillating", "lr-problem"}
LABELS = {
    "Loss became": "nonfinite", "Gradient norm exploded": "nonfinite", "Train/val divergence": "overfitting",
    "Loss plateau": "stuck", "Loss divergence": "diverged", "Loss oscillation": "oscillating",
    "LR schedule": "lr-problem",
}  # fmt: skip


def say(table: Table) -> list[Said]:
    frame = pd.DataFrame({"step": table.steps, "train_loss": table.train})
    if table.lr is not None:
        frame["lr"] = table.lr
    if table.norm is not None:
        frame["grad_norm"] = table.norm
    if len(table.validation):
        evaluated = dict(zip(table.validation_steps.tolist(), table.validation.tolist(), strict=True))
        frame["val_loss"] = [evaluated.get(step, float("nan")) for step in table.steps.tolist()]
    return [
        Said(next((label for start, label in LABELS.items() if f.name.startswith(start)), f.name), True, f.name)
        for f in lint(frame)
    ]
