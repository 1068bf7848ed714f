"""The proposed patch itself: it also reaches code that no driver can change (batches cut by hand, networks of bare
tensors, losses written by hand), and what it proves needs no further proof."""

from __future__ import annotations

from collections.abc import Sequence

from ...causes import all_causes, batch_size
from ...record import Run
from ...record.values import number
from ...signs import Signs
from .._base import WHY_NOT, Dose, Refusal, all_experiments, all_interventions, intervention

SHORT = 120  # characters of a patch that the report shows as it is


def _curable() -> tuple[str, ...]:
    told = {cause for unit in all_experiments().values() for cause in unit.tests}
    return tuple(cause for cause in all_causes() if cause not in WHY_NOT and cause not in told)


@intervention("patch-script", "Run the script with the proposed patch", _curable(), "acting:Intervening")
def patch_script(run: Run, signs: Signs, cause: str) -> Sequence[Dose] | Refusal:
    """Runs the script with the patch of the proposed fix. The patched text runs in place of the file, which does not
    change."""
    fix = all_causes()[cause].fix(run, signs)
    if fix.patch is None and not fix.argv:
        return []
    others = [unit for unit in all_interventions().values() if cause in unit.tests and unit is not patch_script]
    written = " / ".join(row.strip() for row in fix.code.splitlines() if row.strip())
    # If the fix changes the batch size, both runs are compared at equal samples seen.
    old, new = batch_size(run), number(fix.sets.get("batch_size"))
    text = f"patched: {written}" if len(written) < SHORT else f"patched: {fix.summary.partition('. ')[0]}"
    judged_by = others[0].judged_by if others else None
    return [Dose({}, text, steps=old / new if old and new else 1.0, fix=fix, judged_by=judged_by)]
