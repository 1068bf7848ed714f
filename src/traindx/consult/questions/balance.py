"""How the classes are distributed."""

from ._base import Option, Question

QUESTION = Question(
    id="balance",
    ask="Is one class far more common than the others?",
    why="If one class makes up 95 % of the data, a model that always predicts it looks successful.",
    how="collections.Counter(labels)",
    options=(
        Option("balanced", "No, they are fairly even", "the classes are fairly even", {"labels-skewed": 0.0}, share=5),
        Option(
            "some", "Somewhat (up to 9 in 10)", "one class is somewhat more common", {"labels-skewed": 0.3}, share=2
        ),
        Option(
            "skewed",
            "Yes (more than 9 in 10)",
            "more than nine in ten targets are of one class",
            {"labels-skewed": 0.9},
            share=1,
            words=("imbalanced", "imbalance", "unbalanced"),
        ),
        Option("no-classes", "There are no classes", "there are no classes", {"labels-skewed": 0.0}, share=3),
    ),
)
