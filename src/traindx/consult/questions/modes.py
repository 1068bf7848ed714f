"""Whether model.train() and model.eval() are called where they belong."""

from ._base import Option, Question

QUESTION = Question(
    id="modes",
    ask="Is model.eval() called before validation, and model.train() after it?",
    why="Dropout and batch norm behave differently in the two modes; in the wrong mode, you judge a different model.",
    how="Search for .eval() and .train(); Trainer classes call them for you.",
    options=(
        Option(
            "right",
            "Both, or a Trainer does it",
            "both modes are set where they belong",
            {"eval-in-train-mode": 0.1, "train-in-eval-mode": 0.1},
            share=8,
        ),
        Option(
            "no-eval",
            "model.eval() is missing",
            "model.eval() is missing before validation",
            {"eval-in-train-mode": 1.0, "train-in-eval-mode": 0.1},
            share=1,
        ),
        Option(
            "no-train",
            "model.train() is missing after validation",
            "model.train() is missing after validation",
            {"train-in-eval-mode": 1.0, "eval-in-train-mode": 0.1},
            share=0.7,
        ),
        Option(
            "no-layers",
            "The model has neither dropout nor norm layers",
            "the model has no dropout or norm layers",
            {"eval-in-train-mode": 0.0, "train-in-eval-mode": 0.0},
            share=1.5,
        ),
    ),
)
