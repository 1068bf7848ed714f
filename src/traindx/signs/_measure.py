"""Finds the sign units and measures them."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache, wraps
from types import ModuleType

import numpy as np

from ..record import RecordError, Run
from ..units import by_id, modules_of
from ..wording import sentence
from ._base import Missing, Sign, Signs, SignUnit
from ._grounds import looked_up
from ._told import Told

STRICT = "TRAINDX_STRICT"  # set by the tests: an error in a sign is raised instead of recorded


@cache
def all_signs() -> dict[str, SignUnit]:
    """Every sign unit, by id."""
    modules = modules_of("traindx.signs", defining=lambda module: bool(_units(module)))
    return by_id(((unit.id, unit) for module in modules for unit in _units(module)), "signs")


def _units(module: ModuleType) -> tuple[SignUnit, ...]:
    """The signs that a module defines."""
    units = [u for u in vars(module).values() if isinstance(u, SignUnit) and u.measure.__module__ == module.__name__]
    return tuple(looked_up(_missing_before_the_end(unit)) for unit in units)


def _missing_before_the_end(unit: SignUnit) -> SignUnit:
    """A unit that speaks of the end of the run is measured only where the end was seen."""
    if not unit.end:
        return unit

    @wraps(unit.measure)
    def measure(run: Run) -> Sign | Missing:
        unseen = run.end_unseen(unit.end)
        return Missing(unit.id, unseen) if unseen else unit.measure(run)

    return replace(unit, measure=measure)


@cache
def by_experiment() -> frozenset[str]:
    """Signs that exist only where an experiment was made: their absence says nothing about a run."""
    return frozenset(unit.id for unit in all_signs().values() if unit.family in ("probed", "deep"))


def measure_all(run: Run) -> Signs:
    """All signs of `run`. A bug in one of them costs that sign alone: it is missing, and stands in `errors`."""
    found: dict[str, Sign] = {}
    missing: dict[str, Missing] = {}
    errors: dict[str, str] = {}
    told = Told.of(run) if run.told else None
    for sign_id, unit in all_signs().items():
        try:
            with np.errstate(all="ignore"):  # curves hold whatever numbers a diverging run has
                result = told.measure(unit, run) if told else unit.measure(run)
        except RecordError:
            raise  # the record's fault, not the sign's
        except Exception as error:
            if os.environ.get(STRICT):
                raise
            errors[sign_id] = f"{type(error).__name__}: {error}"
            result = Missing(sign_id, f"traindx failed to measure it ({errors[sign_id]})")
        if isinstance(result, Sign):
            found[sign_id] = replace(result, text=sentence(result.text))
        else:
            missing[sign_id] = result
    return Signs(found, missing, errors)
