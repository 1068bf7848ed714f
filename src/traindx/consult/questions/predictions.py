"""What the model answers."""

from ._base import Option, Question

QUESTION = Question(
    id="predictions",
    ask="What does the model answer on a few samples?",
    why="One answer for everything means that the input does not reach the output, or that one answer is good enough.",
    how="print(model(x).argmax(1)) of one batch, or the raw numbers of a regression.",
    options=(
        Option(
            "varied",
            "Different answers",
            "the answers differ from sample to sample",
            {"predictions-collapsed": 0.0, "output-ignores-input": 0.1},
            share=6,
        ),
        Option(
            "one-class",
            "Always the same class",
            "the model always answers with the same class",
            {"predictions-collapsed": 0.9},
            share=1.5,
            words=(
                "majority class",
                "only predicts one",
                "always predicts",
                "predicts the same class",
                "same class for",
                "only ever predicts",
            ),
        ),
        Option(
            "mean",
            "Nearly the same number for everything",
            "the model answers nearly the same for everything",
            {"predictions-collapsed": 0.7, "output-ignores-input": 0.6, "training-at-chance": 0.7},
            share=1.5,
            words=("predicts the mean", "same value for", "same output for", "constant output"),
        ),
    ),
)
