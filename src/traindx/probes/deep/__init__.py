"""Deeper looks at a model, a batch and a loss. Each takes `loss()`, a function that computes the loss anew, and leaves
model, optimizer, random streams and modes bit for bit as they were."""

from .along_step import StepCurve, loss_along_step
from .birth import first_nonfinite
from .curvature import Curvature, curvature
from .mode_gap import ModeGap, mode_gap
from .noise import NoiseScale, noise_scale
from .spike import SpikeReplay, replay_spike

__all__ = [
    "Curvature",
    "ModeGap",
    "NoiseScale",
    "SpikeReplay",
    "StepCurve",
    "curvature",
    "first_nonfinite",
    "loss_along_step",
    "mode_gap",
    "noise_scale",
    "replay_spike",
]
