"""Which number formats the training used, read safely from the `precision` fact."""

from __future__ import annotations

from dataclasses import dataclass

from ..record import Run
from ..record.values import mapping, number, text, texts, truth

HALF_MAX = 65504.0  # the largest finite float16


def _is(name: str, *formats: str) -> bool:
    return name.removeprefix("torch.") in formats


@dataclass(frozen=True)
class Precision:
    float16: bool  # anywhere in forward or backward: the narrow range matters
    half_weights: bool  # parameters themselves in float16 or bfloat16: the coarse resolution matters
    scaler: bool | None
    unchanged: float | None
    underflow: float | None


def precision(run: Run) -> Precision | None:
    """None where the record says nothing of number formats."""
    found = run.fact("precision")
    if not found:
        return None
    weights = [str(name) for name in mapping(found.get("param_dtypes"))]
    used = [*weights, text(found.get("autocast")), *texts(found.get("activations"))]
    return Precision(
        float16=any(_is(name, "float16", "half") for name in used),
        half_weights=any(_is(name, "float16", "half", "bfloat16") for name in weights),
        scaler=truth(found.get("scaler")),
        unchanged=number(found.get("unchanged_share")),
        underflow=number(found.get("grad_underflow")),
    )
