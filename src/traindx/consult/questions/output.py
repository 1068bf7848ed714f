"""Whether the last layer can produce the targets."""

from ._base import Option, Question

QUESTION = Question(
    id="output",
    ask="Can the last layer produce every value of the targets?",
    why="A final ReLU gives no negative numbers, a sigmoid none above 1: other targets are out of reach.",
    how="Compare the last activation's range with targets.min() and targets.max().",
    options=(
        Option(
            "linear",
            "Yes: it ends in a linear layer",
            "the model ends in a linear layer",
            {"targets-outside-output-range": 0.1, "outputs-pinned": 0.1},
            share=7,
        ),
        Option(
            "reaches",
            "Yes: its activation covers them",
            "the last activation covers the targets",
            {"targets-outside-output-range": 0.1, "outputs-pinned": 0.1},
            share=3,
        ),
        Option(
            "cannot-reach",
            "No: ReLU, sigmoid or tanh ends before them",
            "the last activation cannot produce all targets",
            {"targets-outside-output-range": 1.0, "outputs-pinned": 0.7},
            share=0.8,
        ),
    ),
)
