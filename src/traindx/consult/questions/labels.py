"""Whether labels belong to their inputs."""

from ._base import Option, Question

QUESTION = Question(
    id="labels",
    ask="Have you looked at twenty samples with their labels, as the model gets them?",
    why="Labels that are shuffled, shifted or wrong leave nothing to learn but noise.",
    how="Take them from the loader, after all preparation: for x, y in loader: show(x[0], y[0]).",
    options=(
        Option("right", "Yes, they fit", "labels fit their inputs", {"confident-errors": 0.1}, share=4),
        Option(
            "wrong",
            "Yes, some do not fit",
            "some labels do not fit their inputs",
            {"confident-errors": 0.9, "validation-at-chance": 0.6},
            share=1,
        ),
        Option("not-yet", "Not yet", "labels have not been looked at", share=4),
    ),
)
