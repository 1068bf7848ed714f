"""Deeper looks at a model, a batch and a loss. Most take `loss()`, a function that computes the loss again. All leave
the model's weights, gradients and modes and the random state as they were, bit for bit."""

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
