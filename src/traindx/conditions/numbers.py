"""Numbers that are lost: NaN and Inf, and mixed precision."""

from __future__ import annotations

from ..record import Run
from ..signs import Signs
from ._base import Remedy, condition
from ._numbers import lower_rate


@condition(
    "non-finite",
    signs=("loss-not-finite",),
    follows=("steps-skipped",),
    leads_over=("spiking",),  # the jump into NaN/Inf does not come back
    bad_from=0.55,
    avoid=(
        "Do not replace NaN by zero (`nan_to_num`): the weights are lost already.",
        "Do not resume from a checkpoint written after the first NaN.",
    ),
    behind=("traindx run train.py", "which operation made the first NaN/Inf"),
)
def non_finite(run: Run, signs: Signs) -> list[Remedy]:
    """The loss or the gradient norm is NaN or Inf from some step on.

    ## Definition
    The training loss, the validation loss or the gradient norm is not a finite number from some step to the end, or in
    a large share of the points. Logs also hide it behind a constant 0.0, a saturated 87.34 or empty cells. Single bad
    points that recover, as a loss scaler produces them, are not meant.

    ## Where to look
    - In the first steps: the learning rate, the initialisation, or the data themselves.
    - After growth of loss or gradient norm: it diverged first; the NaN is only the end.
    - Suddenly, from a normal course: one bad batch, a logarithm, root or division at zero, or float16.

    ## Reference
    - PyTorch documentation, "Autograd mechanics", anomaly detection.
    """
    sign = signs.get("loss-not-finite")
    values = sign.values if sign is not None else {}
    grew = values.get("loss_grown_at") is not None or values.get("grad_norm_grown_at") is not None
    check = Remedy(
        "Find the first operation that is not finite: rerun the steps before it under anomaly detection.",
        "The traceback names the line of the forward pass.",
        "torch.autograd.set_detect_anomaly(True)",
    )
    lower = Remedy(
        f"Lower the learning rate ({lower_rate(run, 10)}) and clip the gradient norm; then look at the initialisation.",
        "The loss stays finite beyond the step where it broke, and falls.",
        "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
        treats="lr-too-high",
    )
    data = Remedy(
        "Check inputs and targets for NaN/Inf, and logarithms, roots and divisions for zero.",
        "No assertion fires up to the step where it broke.",
        "assert torch.isfinite(batch).all()",
    )
    return [lower, data, check] if grew else [data, check, lower]


@condition(
    "precision-lost",
    signs=("loss-scale-collapsed", "steps-skipped"),
    follows=("half-precision-overflow", "gradient-underflow"),
    bad_from=0.6,
    avoid=("Do not fix the loss scale at a constant: the overflow stays.",),
)
def precision_lost(run: Run, _signs: Signs) -> list[Remedy]:
    """Mixed precision is failing: the loss scale collapses or steps are skipped again and again.

    ## Definition
    The loss scale falls by more than five halvings without recovery or below one, or a large share of the steps is
    skipped, or values leave the range of half precision.

    ## Reference
    - P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
    """
    return [
        Remedy(
            "Use bfloat16 where the hardware has it: its range is that of float32.",
            "No step is skipped.",
            "torch.autocast('cuda', dtype=torch.bfloat16)",
        ),
        Remedy(
            "Compute losses, softmax and norms in float32; run one stretch wholly in float32.",
            "The same stretch trains in float32.",
        ),
        Remedy(
            f"Lower the learning rate ({lower_rate(run, 10)}) and clip after `scaler.unscale_(optimizer)`.",
            "The scale settles at one value.",
            "scaler.unscale_(optimizer)",
            treats="lr-too-high",
        ),
    ]
