"""Measures every sign of a run."""

from __future__ import annotations

import os
from functools import cache
from types import ModuleType

import numpy as np

from ..record import RecordError, Run
from ..units import modules_of
from ._base import Missing, Sign, Signs


@cache
def all_signs() -> dict[str, ModuleType]:
    """Every sign's module, by id."""
    found: dict[str, ModuleType] = {}
    for module in modules_of("traindx.signs", defining="measure"):
        if module.ID in found:
            raise ValueError(f"two signs are called {module.ID}")
        found[module.ID] = module
    return found


@cache
def by_experiment() -> frozenset[str]:
    """Signs that only exist where an experiment was made: their absence says nothing of a run."""
    return frozenset(
        sign_id for sign_id, module in all_signs().items() if module.__name__.split(".")[2] in ("probed", "deep")
    )


def measure_all(run: Run) -> Signs:
    """All signs of `run`. A bug in one of them costs that sign alone: it is missing, and stands in `Signs.errors`.

    With TRAINDX_STRICT in the environment, as in the tests, a bug is raised.
    """
    found: dict[str, Sign] = {}
    missing: dict[str, Missing] = {}
    errors: dict[str, str] = {}
    for sign_id, module in all_signs().items():
        try:
            with np.errstate(all="ignore"):  # curves hold whatever numbers a diverging run has
                result = module.measure(run)
        except RecordError:
            raise  # the record's fault, not the sign's
        except Exception as error:
            if os.environ.get("TRAINDX_STRICT"):
                raise
            errors[sign_id] = f"{type(error).__name__}: {error}"
            result = Missing(sign_id, f"traindx failed to measure it ({errors[sign_id]})")
        if isinstance(result, Sign):
            found[sign_id] = result
        else:
            missing[sign_id] = result
    return Signs(found, missing, errors)
