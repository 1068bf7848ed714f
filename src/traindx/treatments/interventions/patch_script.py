"""Runs the script with the patch of the proposed fix, which also reaches code that no driver can change: batches cut by
hand, networks of bare tensors, losses written by hand.

The patched text runs in place of the file, which does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...causes import all_causes, batch_size
from ...observe.hook_points.hooks import Driver
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import Dose, Intervening, Refusal, all_experiments, all_interventions
from ..untreatable import WHY_NOT

ID = "patch-script"
TITLE = "Run the script with the proposed patch"
TESTS = tuple(
    cause for cause in all_causes()
    if cause not in WHY_NOT and not any(cause in unit.tests for unit in all_experiments().values())
)  # fmt: skip
SAFETY = "changes-result"
JUDGED_BY = "loss"
DECISIVE = 0.95  # below a change by a driver, which is known to change nothing else


def doses(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    fix = all_causes()[cause].fix(run, signs)
    if fix.patch is None and not fix.argv:
        return []
    others = [unit for unit in all_interventions().values() if cause in unit.tests and unit.id != ID]
    written = " / ".join(row.strip() for row in fix.code.splitlines() if row.strip())
    return [
        Dose(
            {}, f"patched: {written}" if len(written) < 120 else f"patched: {fix.summary}", steps=_steps(run, fix.sets),
            fix=fix, judged_by=others[0].judged_by if others else None,
        )
    ]  # fmt: skip


def _steps(run: Run, sets: Mapping[str, Any]) -> float:
    """The ratio of steps at which both runs see equal samples, if the fix changes the batch size."""
    old, new = batch_size(run), number(sets.get("batch_size"))
    return old / new if old and new else 1.0


def begin(options: Mapping[str, Any]) -> Driver:
    return Intervening()
