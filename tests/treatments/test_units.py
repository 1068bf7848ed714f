"""What every intervention and experiment must hold to."""

from __future__ import annotations

import subprocess
import sys

import pytest

from traindx.causes import all_causes
from traindx.treatments import Experiment, Intervention, all_experiments, all_interventions

UNITS: list[Intervention | Experiment] = [*all_interventions().values(), *all_experiments().values()]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.id)
def test_a_unit_names_causes_that_exist_and_speaks_in_the_imperative(unit: Intervention | Experiment) -> None:
    assert unit.tests
    assert set(unit.tests) <= set(all_causes())
    assert unit.title[0].isupper()
    assert not unit.title.endswith(".")
    assert unit.cost > 0
    if isinstance(unit, Intervention):
        assert unit.judged_by in ("loss", "score", "validation", "symptoms", "time")
        assert unit.safety in ("safe", "changes-result", "costly")
        assert 0 < unit.decisive <= 1


def test_units_are_known_without_torch() -> None:
    words = (
        "import sys, traindx.treatments as t; t.all_interventions(); t.all_experiments(); print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
