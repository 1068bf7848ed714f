"""How the validation loss compares with the training loss."""

from ._base import Option, Question

QUESTION = Question(
    id="validation",
    ask="How does the validation loss compare with the training loss?",
    why="Validation that is bad from the start has other causes than validation that gets worse later.",
    how="Compute it every epoch, with model.eval() and torch.no_grad(), and plot both.",
    options=(
        Option(
            "follows",
            "It follows training",
            "validation follows training",
            {"validation-rising": 0.0, "validation-gap": 0.0, "generalisation-gap": 0.1, "validation-learned": 0.8},
            share=3,
        ),
        Option(
            "rises",
            "It fell, and rises now while training still falls",
            "the validation loss fell and rises now while training still falls",
            {"validation-rising": 0.9, "generalisation-gap": 0.8, "memorising": 0.7, "validation-gap": 0.1},
            share=3,
            words=(
                "validation loss increases",
                "val loss increases",
                "validation loss goes up",
                "val loss goes up",
                "validation loss rises",
            ),
        ),
        Option(
            "bad-from-start",
            "It is far worse from the first epoch on",
            "validation is far worse than training from the first epoch on",
            {"validation-gap": 0.9, "validation-rising": 0.1, "generalisation-gap": 0.7},
            share=2,
        ),
        Option(
            "chance",
            "It stays at chance while training falls",
            "validation stays at chance while training falls",
            {"validation-at-chance": 0.9, "memorising": 0.7, "validation-never-improves": 0.8},
            share=1,
        ),
        Option(
            "better",
            "It is better than training",
            "validation is better than training",
            {"train-above-validation": 0.8, "validation-rising": 0.0, "validation-gap": 0.0},
            share=1,
        ),
        Option(
            "nan",
            "It is NaN, zero or constant from the start",
            "validation is NaN, zero or constant from the start",
            {"validation-empty": 1.0},
            share=0.3,
        ),
        Option("none", "I do not validate", "there is no validation", share=2),
    ),
)
