"""The check before training, of a script or of a model with a batch: measures with probes and judges the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .diagnosis.checks import CheckReport, judge_check
from .probes.launch import Script
from .probes.memorising import STEPS as SCRIPT_STEPS
from .probes.model_check import RATE, STEPS, measure_model
from .probes.script_check import SECONDS, Tell, measure_script, silent


def check_script(
    script: Script, steps: int = SCRIPT_STEPS, seconds: float = SECONDS, tell: Tell = silent
) -> CheckReport:
    """Check a script. Raises `ProbeError` if the script cannot be probed. `tell` hears what is done meanwhile."""
    return judge_check(str(script), measure_script(script, steps, seconds, tell))


def check(
    model: Any, batch: Any, loss_fn: Callable[..., Any], *, steps: int = STEPS, rate: float = RATE
) -> CheckReport:
    """Check the data, the first loss, gradient flow, wiring, and whether a copy of the model can overfit the batch.

    `batch` is (inputs, …, targets) or a mapping with a `target`, `labels` or `y`. The model is not changed.

    >>> print(traindx.check(model, (x, y), torch.nn.functional.cross_entropy))        # doctest: +SKIP
    """
    return judge_check(type(model).__name__, measure_model(model, batch, loss_fn, steps, rate))
