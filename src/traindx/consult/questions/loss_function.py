"""Which loss the model is trained with, and what it gets as input."""

from ._base import Option, Question

_RIGHT = {"loss-inputs-are-probabilities": 0.1, "risky-math": 0.0, "loss-inputs-not-log-probabilities": 0.0}

QUESTION = Question(
    id="loss-function",
    ask="Which loss do you use, and what does it get?",
    why="CrossEntropyLoss and BCEWithLogitsLoss apply softmax or sigmoid themselves; a log or a division can be NaN.",
    how="Look at the last line of forward() and at the line that computes the loss.",
    options=(
        Option(
            "logits",
            "Cross entropy or BCEWithLogits, given raw scores",
            "the loss gets raw scores",
            {**_RIGHT, "class-ids-in-regression-loss": 0.0},
            share=6,
        ),
        Option(
            "softmax-first",
            "Cross entropy or BCEWithLogits, after softmax or sigmoid",
            "softmax or sigmoid comes before a loss that applies it itself",
            {"loss-inputs-are-probabilities": 1.0, "risky-math": 0.0},
            share=1,
            words=(
                "softmax before cross entropy",
                "softmax before crossentropyloss",
                "softmax and crossentropyloss",
                "softmax in the model",
                "softmax at the end",
            ),
        ),
        Option(
            "regression", "MSE, L1 or Huber, on numbers", "you train on numbers with MSE, L1 or Huber", _RIGHT, share=3
        ),
        Option(
            "regression-on-classes",
            "MSE or L1, on class numbers",
            "a regression loss is trained on class numbers",
            {"class-ids-in-regression-loss": 1.0, "risky-math": 0.0},
            share=0.4,
        ),
        Option(
            "nll-on-scores",
            "NLLLoss, on outputs that are not log-probabilities",
            "NLLLoss gets outputs that are not log-probabilities",
            {"loss-inputs-not-log-probabilities": 1.0, "risky-math": 0.0},
            share=0.3,
        ),
        Option(
            "custom-log",
            "My own, with log, division, square root, exp or norm",
            "your own loss takes a log, a division, a root, an exp or a norm",
            {"loss-inputs-are-probabilities": 0.1},
            {"losses": {"fn": "custom", "ops": ["log", "div", "sqrt", "exp"]}},
            share=1.5,
            words=("log of my", "custom loss with log", "take the log", "log in my loss"),
        ),
        Option(
            "negated",
            "My own, and its sign may be wrong",
            "the sign of your own loss may be wrong",
            {"loss-negated": 0.8},
            share=0.3,
        ),
        Option("custom", "My own, none of these", "your own loss has no log, division or root", _RIGHT, share=1.5),
    ),
)
