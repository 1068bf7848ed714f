"""Whether one batch can be memorised."""

from ._base import Option, Question

QUESTION = Question(
    id="one-batch",
    ask="Can the model overfit one single batch (loss near 0)?",
    why="If it cannot, the fault is in the model, the loss or the step, and not in the data.",
    how="`traindx check train.py` tries it in a minute and changes nothing; or train on one batch for 200 steps.",
    options=(
        Option("learnt", "Yes", "one batch can be overfitted", {"one-batch-not-learnt": 0.0}, share=3),
        Option("stuck", "No, it stays high", "one batch cannot be overfitted", {"one-batch-not-learnt": 0.9}, share=2),
        Option("not-tried", "I have not tried", "one batch has not been tried", share=6),
    ),
)
