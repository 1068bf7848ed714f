"""Which regularisation is in place."""

from ._base import Option, Question

QUESTION = Question(
    id="regularisation",
    ask="Which regularisation do you use?",
    why="Without any, a large model can memorise; with too much, it cannot fit at all.",
    how="Search for Dropout, weight_decay and your augmentations.",
    options=(
        Option(
            "none",
            "None: no dropout, no weight decay, no augmentation",
            "there is no dropout, no weight decay and no augmentation",
            {"strong-dropout": 0.0},
            {"regularization": {"dropout": 0, "weight_decay": 0, "augmentation": False}},
            share=3,
        ),
        Option(
            "usual",
            "The usual (dropout 0.1 to 0.5, weight decay up to 0.1)",
            "regularisation is as usual",
            {"strong-dropout": 0.0, "decay-dominates": 0.1},
            {"regularization": {"dropout": 0.3}},
            share=6,
        ),
        Option(
            "strong-dropout",
            "Strong dropout (0.7 and more)",
            "dropout is 0.7 or more",
            {"strong-dropout": 0.9},
            {"regularization": {"dropout": 0.8}},
            share=0.7,
        ),
        Option(
            "strong-decay",
            "Strong weight decay (0.1 and more with SGD, 1 and more with AdamW)",
            "weight decay is strong",
            {"decay-dominates": 0.8, "weights-shrinking": 0.6},
            {"regularization": {"weight_decay": 1}},
            share=0.6,
        ),
        Option(
            "heavy-augmentation",
            "Heavy augmentation or noise",
            "augmentation or noise is heavy",
            {"train-above-validation": 0.6, "strong-dropout": 0.4},
            {"regularization": {"augmentation": True}},
            share=0.8,
        ),
    ),
)
