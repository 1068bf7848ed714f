"""How weights are initialised, and where the loss starts."""

from ._base import Option, Question

QUESTION = Question(
    id="initialisation",
    ask="How are the weights initialised, and does the loss start where it should?",
    why="With C classes, an untrained model starts at ln(C): 2.3 for 10. Far above means that outputs are too large.",
    how="Print the very first loss, before any step.",
    options=(
        Option(
            "default",
            "By default, and the first loss is about chance",
            "weights start by default, the loss at chance",
            {
                "init-scale-large": 0.0,
                "init-scale-small": 0.0,
                "first-loss-above-chance": 0.0,
                "first-loss-at-chance": 0.9,
                "rows-identical": 0.0,
            },
            share=6,
        ),
        Option(
            "high-start",
            "The first loss is far above chance",
            "the first loss is far above chance",
            {"first-loss-above-chance": 0.9, "first-loss-at-chance": 0.0},
            share=1.2,
        ),
        Option(
            "large",
            "By hand, with large numbers (std 1 and more)",
            "weights start with large numbers",
            {"init-scale-large": 0.9, "first-loss-above-chance": 0.7},
            share=0.4,
        ),
        Option(
            "small",
            "By hand, with tiny numbers",
            "weights start with tiny numbers",
            {"init-scale-small": 0.9, "activation-variance-shrinks": 0.7},
            share=0.4,
        ),
        Option(
            "constant",
            "All zeros, or one constant",
            "weights start at zero or one constant",
            {"rows-identical": 1.0},
            share=0.3,
        ),
        Option(
            "pretrained",
            "From a pretrained model",
            "weights come from a pretrained model",
            {"init-scale-large": 0.0, "init-scale-small": 0.0, "rows-identical": 0.0},
            share=3,
        ),
    ),
)
