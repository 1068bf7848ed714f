"""What the tables of a checkpoint on a batch show: plain facts of this batch, and the signs that they raise.

Some signs need several training steps before they report dead units or missing gradients. Facts that one batch shows
say so: "on this batch".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..record import Run
from ..signs import all_signs, measure_all

LISTED = 3  # names in a sentence
DEAD = 0.5  # share of a layer's units that are zero for every sample
# Signs about the course of a training: one batch cannot show them.
OF_A_COURSE = ("too-short", "too-early", "few-updates", "loss-not-finite")


REPLAY = "Find the operation with traindx run, which replays the step that broke."
# Of findings that are not signs; a sign says it in its own file.
REMEDIES = {
    "nonfinite-gradients": REPLAY,
    "nonfinite-outputs": "Look for a division, log, sqrt or exp in this layer, and for NaN in its weights and inputs.",
    "loss-not-finite": REPLAY,
}


@dataclass(frozen=True)
class Finding:
    id: str
    severity: Literal["critical", "warning"]
    text: str

    @property
    def remedy(self) -> str:
        """One sentence on what to do about it, or nothing."""
        if self.id in REMEDIES:
            return REMEDIES[self.id]
        unit = all_signs().get(self.id)
        return unit.remedy if unit is not None else ""


def layer_findings(run: Run) -> list[Finding]:
    """The most severe first."""
    plain = [*_loss(run), *_outputs(run), *_gradients(run), *_dead(run)]
    known = {finding.id for finding in plain}
    signs = [
        Finding(sign.id, "critical" if sign.severity == "critical" else "warning", sign.text)
        for sign in sorted(measure_all(run).raised(), key=lambda sign: -sign.level)
        if sign.severity != "info" and sign.id not in (*OF_A_COURSE, *known)
    ]
    return sorted([*plain, *signs], key=lambda finding: finding.severity != "critical")


def _loss(run: Run) -> Iterator[Finding]:
    values = run.series("loss/train").values
    broken = values[~np.isfinite(values)]
    if len(broken):
        yield Finding("loss-not-finite", "critical", f"The loss is {_number(broken[0])} on this batch.")


def _outputs(run: Run) -> Iterator[Finding]:
    table = run.layers("nonfinite")
    broken = [name for i, name in enumerate(table.layers) if np.nanmax(table.values[:, i]) > 0]
    if broken:
        share = float(np.nanmax(table.column(broken[0])))
        text = f"Layer `{broken[0]}` is the first whose output is not finite: {share:.0%} of its values are NaN or Inf."
        yield Finding("nonfinite-outputs", "critical", text)


def _gradients(run: Run) -> Iterator[Finding]:
    parameters = [p for p in run.parameters if p.grad]
    weights = [p for p in parameters if p.kind == "weight"]
    table = run.layers("grad_norm")
    present = [p.name for p in parameters if p.grad != "none" and p.name in table.layers]
    broken = [name for name in present if not np.isfinite(table.column(name)).all()]
    if broken:
        words = f"{_listed(broken)} of {len(parameters)} parameters have a gradient that is NaN or Inf."
        yield Finding("nonfinite-gradients", "critical", words)
    for value, sign_id, words in (
        ("zero", "params-zero-gradient", "a gradient of exactly zero on this batch"),
        ("none", "params-without-gradient", "no gradient: the loss does not depend on them"),
    ):
        names = [p.name for p in weights if p.grad == value]
        if names:
            severity: Literal["critical", "warning"] = "critical" if len(names) == len(weights) else "warning"
            yield Finding(sign_id, severity, f"{_listed(names)} of {len(weights)} weights get {words}.")


def _dead(run: Run) -> Iterator[Finding]:
    table = run.layers("act_dead")
    last = {name: _last(table.values[:, i]) for i, name in enumerate(table.layers)}
    whole = [name for name, share in last.items() if share == 1]
    if whole:
        yield Finding(
            "dead-units", "critical", f"All units are dead in {_listed(whole)} of {len(last)} rectified layers: their "
            "output is zero for every sample of this batch."
        )  # fmt: skip
    worst = max((name for name in last if name not in whole and last[name] > DEAD), key=last.__getitem__, default=None)
    if worst is not None and not whole:
        text = f"{last[worst]:.0%} of the units of layer `{worst}` are zero for every sample of this batch."
        yield Finding("dead-units", "warning", text)


def _last(column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    seen = column[~np.isnan(column)]
    return float(seen[-1]) if len(seen) else 0.0


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:LISTED])
    return f"{len(names)} ({shown}{' and more' if len(names) > LISTED else ''})"


def _number(value: float) -> str:
    return "NaN" if np.isnan(value) else "infinite"
