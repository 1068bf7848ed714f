"""Whether training data are shuffled."""

from ._base import Option, Question

QUESTION = Question(
    id="shuffle",
    ask="Are training data shuffled in every epoch?",
    why="Batches of one class or one source make the model forget the others; the loss looks like a saw-tooth.",
    how="Look for shuffle=True in the DataLoader; print the labels of three batches.",
    options=(
        Option(
            "yes",
            "Yes",
            "training data are shuffled",
            {"batches-single-class": 0.0, "batches-alike": 0.0},
            {"loaders": {"shuffled": True}},
            share=7,
        ),
        Option(
            "no",
            "No, but the order is mixed",
            "training data keep their order, which is mixed",
            {"batches-single-class": 0.2, "sequential-sampler": 0.6},
            {"loaders": {"shuffled": False}},
            share=1.5,
        ),
        Option(
            "sorted",
            "No, and they are sorted by class, file or time",
            "training data are not shuffled and sorted by class, file or time",
            {"batches-single-class": 0.9, "batches-alike": 0.8, "saw-tooth": 0.6},
            {"loaders": {"shuffled": False}},
            share=0.8,
        ),
    ),
)
