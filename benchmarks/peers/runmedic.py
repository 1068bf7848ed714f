"""runmedic: a rule-based reader of logs (CSV, JSON, text, MLflow, TensorBoard)."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

from runmedic import loaders, roles
from runmedic.checks import run_checks

from ._base import Said, Table

NAME = "runmedic"
CLAIMS = {"nonfinite", "diverged", "spike", "stuck", "overfitting", "plateau"}
LABELS = {
    "non_finite": "nonfinite", "divergence": "diverged", "loss_spikes": "spike", "no_learning": "stuck",
    "overfitting": "overfitting", "constant_lr_plateau": "plateau", "grad_spikes": "gradient-spike",
}  # fmt: skip


def say(table: Table) -> list[Said]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metrics.csv"
        evaluated = dict(zip(table.validation_steps.tolist(), table.validation.tolist(), strict=True))
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["step", "train_loss", "val_loss", "lr"])
            for i, (step, loss) in enumerate(zip(table.steps.tolist(), table.train.tolist(), strict=True)):
                rate = "" if table.lr is None else float(table.lr[i])
                writer.writerow([step, loss, evaluated.get(step, ""), rate])
        return say_of_file(path) or []


def say_of_file(path: Path) -> list[Said] | None:
    """None where it finds nothing to read."""
    try:
        runs = loaders.load(str(path))
    except Exception:
        return None
    if not runs:
        return None
    found = [finding for run in runs for finding in run_checks(run, roles.detect(run, {}))]
    return [
        Said(LABELS.get(f.check, f.check), f.severity != "info" or f.check == "overfitting", f.title) for f in found
    ]
