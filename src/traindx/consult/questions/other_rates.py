"""What happened at other learning rates."""

from ._base import Option, Question

QUESTION = Question(
    id="other-rates",
    ask="What happened at a learning rate ten times lower or higher?",
    why="This is the quickest way to tell whether the step size is the problem.",
    how="`traindx lr train.py` tries a whole range in a minute or two and changes nothing.",
    options=(
        Option(
            "lower-helps",
            "Lower trains better",
            "a lower learning rate trains better",
            {"one-batch-needs-lower-rate": 0.7, "one-batch-needs-higher-rate": 0.0},
            share=1.5,
        ),
        Option(
            "higher-helps",
            "Higher trains better",
            "a higher learning rate trains better",
            {"one-batch-needs-higher-rate": 0.7, "one-batch-needs-lower-rate": 0.0},
            share=1,
        ),
        Option(
            "no-change",
            "No difference",
            "other learning rates make no difference",
            {"one-batch-needs-lower-rate": 0.1, "one-batch-needs-higher-rate": 0.1, "rate-above-usual": 0.1},
            share=3,
        ),
        Option("not-tried", "I have not tried", "no other learning rate has been tried", share=6),
    ),
)
