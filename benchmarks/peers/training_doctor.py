"""training-doctor: detectors of learning rates too high and too low, plateaus, overfitting, unstable gradients."""

from __future__ import annotations

import contextlib
import io

from training_doctor import Doctor

from ._base import Said, Table

NAME = "training-doctor"
MOST = 1000  # points; it takes minutes for more, so every k-th is given
CLAIMS = {"overfitting", "plateau", "diverged", "oscillating", "nonfinite"}
LABELS = {
    "overfitting": "overfitting", "plateau": "plateau", "lr_too_high": "diverged", "gradient_instability": "nonfinite",
    "lr_too_low": "falling-slowly",
}  # fmt: skip


def say(table: Table) -> list[Said]:
    doctor = Doctor()
    doctor.set_auto_print(False)
    every = max(1, len(table.train) // MOST)
    evaluated = dict(zip(table.validation_steps.tolist(), table.validation.tolist(), strict=True))
    with contextlib.redirect_stdout(io.StringIO()):
        for i, (step, loss) in enumerate(zip(table.steps.tolist(), table.train.tolist(), strict=True)):
            if i % every and step not in evaluated:
                continue
            more = {"eval_loss": evaluated[step]} if step in evaluated else {}
            more |= {} if table.lr is None else {"lr": float(table.lr[i])}
            doctor.log(step=int(step), loss=loss, **more)
        found = doctor.analyze()
    return [Said(_label(f.detector_name), f.severity.name != "INFO", f.problem) for f in found]


def _label(detector: str) -> str:
    return next((label for start, label in LABELS.items() if detector.startswith(start)), detector)
