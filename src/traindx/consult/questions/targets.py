"""What the targets are."""

from ._base import Option, Question

QUESTION = Question(
    id="targets",
    ask="What are the targets?",
    why="An untrained model gives outputs of size about 1. Targets in the thousands take the whole run to reach.",
    how="print(y.min(), y.max(), y.float().mean(), y.float().std()) of one batch.",
    options=(
        Option(
            "classes", "Classes or tokens", "the targets are classes or tokens", {"target-scale-large": 0.0}, share=6
        ),
        Option(
            "small",
            "Numbers of size about 1 (or standardised)",
            "the targets are numbers of size about 1",
            {"target-scale-large": 0.0},
            share=3,
        ),
        Option(
            "large",
            "Large numbers (prices, counts, pixels), as they are",
            "the targets are large numbers, unscaled",
            {"target-scale-large": 0.9, "gradient-norm-level": 0.6},
            share=1,
        ),
    ),
)
