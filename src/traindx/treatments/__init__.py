"""Controlled re-runs: one change at a time inside the user's own script, against a control with the same seeds.

`interventions/` holds the changes, `experiments/` the tests for causes that no change cures; `_base` says what each
module defines. `treat` makes the trials and returns the diagnosis with their results.
"""

from ._base import Dose, Experiment, Intervening, Intervention, Refusal, all_experiments, all_interventions
from .treating import Options, treat

__all__ = [
    "Dose",
    "Experiment",
    "Intervening",
    "Intervention",
    "Options",
    "Refusal",
    "all_experiments",
    "all_interventions",
    "treat",
]
