"""Whether validation data are prepared like training data."""

from ._base import Option, Question

QUESTION = Question(
    id="same-preparation",
    ask="Are validation data prepared exactly as training data (scaling, resizing, tokenizer)?",
    why="If only one of them is scaled, validation is bad from the first epoch on.",
    how="Print mean, std and shape of one batch of each, and compare.",
    options=(
        Option(
            "same",
            "Yes, the same",
            "validation data are prepared like training data",
            {"train-eval-inputs-differ": 0.1},
            share=7,
        ),
        Option(
            "differs",
            "No, something differs",
            "validation data are prepared differently",
            {"train-eval-inputs-differ": 0.9},
            share=1,
        ),
        Option(
            "other-source",
            "They come from elsewhere (other years, cameras, sites)",
            "validation data come from elsewhere",
            {"train-eval-inputs-differ": 0.8},
            share=1,
        ),
        Option(
            "overlap",
            "Some validation samples may be in training too",
            "some validation samples may also be trained on",
            {"samples-shared": 0.9},
            share=0.4,
        ),
    ),
)
