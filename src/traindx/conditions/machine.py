"""Time: waiting for data, and steps that take longer and longer."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Remedy, condition


@condition(
    "waiting-for-data",
    signs=("data-wait",),
    bad_from=None,
    avoid=("Do not buy a faster accelerator: it would wait longer.",),
)
def waiting_for_data(_run: Run, _signs: Signs) -> list[Remedy]:
    """The step waits for data for a large share of its time.

    ## Definition
    The time that a step waits for its batch, as a share of the step's time, is above one half, or above three
    tenths in a log. It costs time only: it explains no bad loss.

    ## Reference
    - PyTorch documentation, "Performance Tuning Guide", data loading.
    """
    return [
        Remedy(
            "Load with several workers and pinned memory.",
            "The share of waiting falls below a tenth.",
            "DataLoader(..., num_workers=4, pin_memory=True, persistent_workers=True)",
        ),
        Remedy(
            "Move decoding and augmentation out of `__getitem__`, or cache what does not change.",
            "One sample loads in less than the step's compute time divided by the batch size, times the workers.",
        ),
    ]


@condition(
    "slowing-down",
    signs=("step-time-growing", "memory-growth", "backward-slowing", "graph-growth"),
    follows=("losses-kept",),
    bad_from=0.8,
    avoid=("Do not call `torch.cuda.empty_cache()` each step: it hides the growth and costs time.",),
)
def slowing_down(_run: Run, _signs: Signs) -> list[Remedy]:
    """Steps take longer and longer, or memory grows with the number of steps.

    ## Definition
    Step time or memory in use grows significantly and steadily over the run, by a third at least; from inside, the
    autograd graph or the memory grows with the steps.

    ## Reference
    - PyTorch FAQ, "My model reports out of memory": accumulating history across the training loop.
    """
    return [
        Remedy(
            "Add numbers to running sums, not tensors with a graph.",
            "Memory stays the same from step 10 to step 1,000.",
            "running += loss.item()  # or loss.detach()",
        ),
        Remedy(
            "Detach hidden states between batches; don't keep outputs in lists.",
            "The time of a step stays the same.",
            "hidden = hidden.detach()",
        ),
    ]
