"""The questions that an engineer asks of a run, in the order of asking. A sign names the one it answers (`QUESTION`).

A sign of a third party may name a question of its own: it is asked after these.
"""

from __future__ import annotations

TRAINED = "Did the script train, and is there enough to judge?"
FINITE = "Does the loss stay finite?"
FALLS = "Does the training loss fall?"
START = "Does the loss start where an untrained model starts?"
LOSS_INPUTS = "Does the loss get inputs of the right kind?"
PARAMETERS = "Are gradients cleared, and does every parameter learn?"
FLOW = "Do gradients reach every layer?"
STEPS = "How large are the steps?"
SCHEDULE = "Does the learning rate last?"
BATCH = "Does the batch size suit the run?"
DATA = "Are the data in order?"
VALIDATION = "Does validation follow training?"
MODES = "Do training and evaluation run in the right mode?"
PRECISION = "Do the numbers fit their precision?"
CAPACITY = "Can the model represent the task?"
EXPERIMENTS = "What do experiments show?"
TIME = "Where does the time go?"

# What a question is about, in a word or two.
TOPICS = {
    TRAINED: "whether it trained", FINITE: "finite losses", FALLS: "the training loss", START: "the first loss",
    LOSS_INPUTS: "loss inputs", PARAMETERS: "gradients and parameters", FLOW: "gradient flow", STEPS: "step sizes",
    SCHEDULE: "the learning rate", BATCH: "batch size", DATA: "data", VALIDATION: "validation", MODES: "modes",
    PRECISION: "precision", CAPACITY: "capacity", EXPERIMENTS: "experiments", TIME: "where time goes",
}  # fmt: skip
ORDER = (
    TRAINED, FINITE, FALLS, START, LOSS_INPUTS, PARAMETERS, FLOW, STEPS, SCHEDULE, BATCH, DATA, VALIDATION, MODES,
    PRECISION, CAPACITY, EXPERIMENTS, TIME,
)  # fmt: skip


def rank(question: str) -> int:
    """Where a question stands in the order of asking."""
    return ORDER.index(question) if question in ORDER else len(ORDER)
