"""Whether gradients are cleared."""

from ._base import Option, Question

QUESTION = Question(
    id="zero-grad",
    ask="Is optimizer.zero_grad() called once for every optimizer.step()?",
    why="Without it, every step adds up all earlier gradients: the loss oscillates or explodes at any learning rate.",
    how="Search your loop for zero_grad; Trainer classes call it for you. `traindx check train.py` counts it.",
    options=(
        Option(
            "yes", "Yes, or a Trainer does it", "gradients are cleared at every step", {"grads-kept": 0.1}, share=12
        ),
        Option(
            "no",
            "No, or not at every step",
            "gradients are not cleared at every step",
            {"grads-kept": 1.0},
            words=("forgot zero_grad", "without zero_grad", "no zero_grad", "missing zero_grad"),
        ),
    ),
)
