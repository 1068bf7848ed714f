"""Measures every sign of a run."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from ..record import Run
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
    """All signs of `run`. A sign that fails on unforeseen data is missing, with the error as its reason."""
    found: dict[str, Sign] = {}
    missing: dict[str, Missing] = {}
    for sign_id, module in all_signs().items():
        try:
            result = module.measure(run)
        except Exception as error:
            result = Missing(sign_id, f"could not be measured ({type(error).__name__}: {error})")
        if isinstance(result, Sign):
            found[sign_id] = result
        else:
            missing[sign_id] = result
    return Signs(found, missing)
