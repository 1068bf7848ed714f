"""The checks before training that signs of the first steps answer. A sign names the one it belongs to (`CHECK`)."""

from __future__ import annotations

from dataclasses import dataclass

GROUPS = ("data", "start", "wiring", "learning", "repeatability")


@dataclass(frozen=True)
class Check:
    """A stable id, and the group under which the page lists it."""

    id: str
    group: str


FINITE_DATA = Check("finite-data", "data")
SCALES = Check("scales", "data")
CLASS_BALANCE = Check("class-balance", "data")
LABEL_ORDER = Check("label-order", "data")
OVERLAP = Check("overlap", "data")
SAME_PREPARATION = Check("same-preparation", "data")
NO_ANSWER_IN_INPUT = Check("no-answer-in-input", "data")
LOADER_WAIT = Check("loader-wait", "data")
FIRST_LOSS = Check("first-loss", "start")
GRADIENT_FLOW = Check("gradient-flow", "start")
VARIANCE_BY_DEPTH = Check("variance-by-depth", "start")
INITIAL_WEIGHTS = Check("initial-weights", "start")
SYMMETRY = Check("symmetry", "start")
FIRST_STEPS = Check("first-steps", "start")
STEP_SIZE = Check("step-size", "start")
GRADIENTS_ARRIVE = Check("gradients-arrive", "wiring")
WEIGHTS_MOVE = Check("weights-move", "wiring")
GRADIENTS_CLEARED = Check("gradients-cleared", "wiring")
TRAINING_MODE = Check("training-mode", "wiring")
EVALUATION_MODE = Check("evaluation-mode", "wiring")
MODES_AGREE = Check("modes-agree", "wiring")
LOSS_INPUTS = Check("loss-inputs", "wiring")
AXES = Check("axes", "wiring")
