"""Whether the data contain NaN or Inf."""

from ._base import Option, Question

QUESTION = Question(
    id="nonfinite-data",
    ask="Have you looked for NaN or Inf in the inputs and targets?",
    why="One empty cell, or one division by a standard deviation of zero, is enough to make the loss NaN.",
    how="assert torch.isfinite(x).all() and torch.isfinite(y.float()).all() for every batch of one epoch.",
    options=(
        Option(
            "clean",
            "Yes, there are none",
            "the data hold no NaN or Inf",
            {"input-nonfinite": 0.1, "target-nonfinite": 0.1},
            share=6,
        ),
        Option("found", "Yes, there are some", "the data hold NaN or Inf", {"input-nonfinite": 1.0}, share=1),
        Option("not-yet", "Not yet", "the data have not been searched for NaN", share=4),
    ),
)
