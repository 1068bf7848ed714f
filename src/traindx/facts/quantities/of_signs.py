"""Quantities that a sign already measures: nothing is measured twice. The plain ones are rows of `quantities.toml`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...record import Run
from ...record.site import Site
from ...signs import Sign, Signs, all_signs
from ...signs.curve import moment
from ...toml import table
from ..types import Quantity, Reading, by_optimizer, by_task, plain

Strata = Callable[[Run], Sequence[str]]
NAMED = 2  # parameters named in a place


def of(
    sign: str,
    name: str,
    unit: str = "",
    *,
    key: str | None = None,
    of_value: Callable[[float], float] | None = None,
    strata: Strata = plain,
    log: bool = False,
    grain: float | None = None,
    place: str = "",
    id: str = "",
    kin: Sequence[str] = (),
    outcome: bool = False,
) -> Quantity:
    """The value of a sign, or what it keeps under `key`. `place`: whose line it is about (loss, optimizer …)."""

    def read(run: Run, signs: Signs) -> Iterable[Reading]:
        found = signs.get(sign)
        value = _number(found, key) if found is not None and not found.values.get("told") else None
        if found is None or value is None:
            return
        value = of_value(value) if of_value else value
        if math.isfinite(value) and (value > 0 or not log):
            yield Reading(value, strata(run), _where(found, run) or site(run, place))

    question = all_signs()[sign].question
    if grain is None:
        grain = 0.1 if log else 0.02
    return Quantity(
        id or (f"{sign}/{key}" if key else sign), name, question, read, unit, log, grain, sign, tuple(kin), outcome
    )


def seen(sign: str, name: str, *, place: str = "", from_value: float | None = None) -> Quantity:
    """Whether a sign that catches the program in the act did so, excused or not: 1 or 0."""

    def read(run: Run, signs: Signs) -> Iterable[Reading]:
        found = signs.get(sign)
        if found is None or found.values.get("told"):
            return
        there = found.raised or bool(found.values.get("excused_by"))
        if from_value is not None:
            there = found.value >= from_value
        where = (_where(found, run) or site(run, place)) if there else None
        yield Reading(float(there), plain(run), where)

    return Quantity(sign, name, all_signs()[sign].question, read, "yes/no", grain=0.1, sign=sign)


def _number(found: Sign | None, key: str | None) -> float | None:
    value: Any = None if found is None else found.value if key is None else found.values.get(key)
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _where(found: Sign, run: Run) -> str | None:
    """The layer, the parameters or the step that the sign is about."""
    layer, names = found.values.get("layer"), found.values.get("parameters")
    if isinstance(layer, str) and layer:
        return layer
    if isinstance(names, list) and names:
        rest = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        return ", ".join(map(str, names[:NAMED])) + rest
    for key in ("step", "peak_step", "minimum_step", "hump_step"):
        if isinstance(step := found.values.get(key), int):
            return moment(run, step)
    return moment(run, found.onset) if found.onset and found.raised else None


def site(run: Run, place: str) -> str | None:
    """The line of the script that holds a thing of this kind."""
    found: Site | None = None
    if place == "loss":
        found = next((call.site for call in run.training_losses if call.site), None)
    elif place == "optimizer":
        found = next((optimizer.site for optimizer in run.optimizers if optimizer.site), None)
    elif place == "loader":
        found = next((loader.site for loader in run.training_loaders if loader.site), None)
    elif place == "clipping":
        found = run.clipping.site
    elif place == "backward":
        found = next((s for entry in run.backward_sites if (s := entry.site)), None)
    elif place == "scheduler":
        found = next((s for entry in run.schedulers if (s := entry.site)), None)
    return str(found) if found else None


STRATA: dict[str, Strata] = {"task": by_task, "optimizer": by_optimizer}
_STATED = table(__package__, "quantities.toml")
QUANTITIES = (
    *(of(**{**row, "strata": STRATA[row["strata"]]} if "strata" in row else row) for row in _STATED["of"]),
    *(seen(**row) for row in _STATED["seen"]),
)
