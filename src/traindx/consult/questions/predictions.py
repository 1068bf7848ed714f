"""What the model predicts."""

from ._base import Option, Question

QUESTION = Question(
    id="predictions",
    ask="What does the model predict for a few samples?",
    why="One prediction for all inputs means that the input does not reach the output, or that the loss rewards it.",
    how="print(model(x).argmax(1)) of one batch, or the raw numbers of a regression.",
    options=(
        Option(
            "varied",
            "Different predictions",
            "the predictions differ from sample to sample",
            {"predictions-collapsed": 0.0, "output-ignores-input": 0.1},
            share=6,
        ),
        Option(
            "one-class",
            "Always the same class",
            "the model always predicts the same class",
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
            "the model predicts nearly the same for everything",
            {"predictions-collapsed": 0.7, "output-ignores-input": 0.6, "training-at-chance": 0.7},
            share=1.5,
            words=("predicts the mean", "same value for", "same output for", "constant output"),
        ),
    ),
)
