"""The check before training: what probes measured, judged. For a script, and for a model with a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .diagnosis.checks import CheckReport, judge_check
from .probes.launch import Script
from .probes.memorising import STEPS as SCRIPT_STEPS
from .probes.model_check import RATE, STEPS, measure_model
from .probes.script_check import SECONDS, measure_script


def check_script(script: Script, steps: int = SCRIPT_STEPS, seconds: float = SECONDS) -> CheckReport:
    """Raises `ProbeError` where the script cannot be probed at all."""
    return judge_check(str(script), measure_script(script, steps, seconds))


def check(
    model: Any, batch: Any, loss_fn: Callable[..., Any], *, steps: int = STEPS, rate: float = RATE
) -> CheckReport:
    """Data, first loss, gradient flow, wiring, and whether a copy of the model can overfit the batch.

    `batch` is (inputs, …, targets) or a mapping with a `target`, `labels` or `y`. The model is left as it was.

    >>> print(traindx.check(model, (x, y), torch.nn.functional.cross_entropy))        # doctest: +SKIP
    """
    return judge_check(type(model).__name__, measure_model(model, batch, loss_fn, steps, rate))
