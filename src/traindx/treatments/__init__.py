"""Controlled re-runs: each makes one change in the user's script and is compared with a control with the same seeds.

`interventions/` holds the changes, and in `experiments.py` the tests of causes that no change cures. `_base` lists what
each module defines. `treat` runs the trials and returns the diagnosis with their results.
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
