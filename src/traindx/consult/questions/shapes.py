"""Whether predictions and targets have the same shape."""

from ._base import Option, Question

QUESTION = Question(
    id="shapes",
    ask="Do predictions and targets have the same shape in a regression or binary loss?",
    why="(N, 1) against (N,) broadcasts to (N, N): every prediction is compared with every target, and all become the "
    "mean.",
    how="print(output.shape, target.shape) right before the loss; PyTorch warns 'Using a target size'.",
    options=(
        Option(
            "same", "Yes, the same", "predictions and targets have the same shape", {"loss-broadcasts": 0.1}, share=8
        ),
        Option(
            "differ",
            "No, or PyTorch warns about the target size",
            "predictions and targets differ in shape",
            {"loss-broadcasts": 1.0},
            share=0.6,
            words=("target size", "using a target size"),
        ),
        Option(
            "classes",
            "Not needed: class scores against class numbers",
            "the targets are class numbers",
            {"loss-broadcasts": 0.0},
            share=4,
        ),
    ),
)
