"""Modules describe their signs in one of two forms, and both are found with everything they say."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from traindx.record import RunBuilder
from traindx.signs import Missing, all_signs
from traindx.signs._measure import _units
from traindx.units import modules_of

ONE = '''
"""How often the moon was full."""
ID, QUESTION, SHOWS, RIVAL = "moon-full", "What does the moon do?", "fault", ("data", 2.0)


def measure(run):
    ...
'''

TWO = '''
"""The moon."""
from traindx.signs import SignUnit


def waxing(run):
    """How fast it grows.

    A night at a time.
    """


def waning(run):
    """How fast it shrinks."""


SIGNS = (
    SignUnit("moon-waxing", waxing, "What does the moon do?", "condition", core=True),
    SignUnit("moon-waning", waning, "What does the moon do?", "dynamics", remedy="Wait."),
)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    def written(source: str) -> ModuleType:
        (tmp_path / "moons").mkdir()
        (tmp_path / "moons" / "__init__.py").write_text("")
        (tmp_path / "moons" / "phases.py").write_text(source)
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in ("moons", "moons.phases"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        (found,) = (m for m in modules_of("moons", defining=("measure", "SIGNS")))
        return found

    return written


def test_a_module_with_one_sign(module: Callable[[str], ModuleType]) -> None:
    (unit,) = _units(module(ONE))
    assert (unit.id, unit.shows, unit.rival, unit.family) == ("moon-full", "fault", ("data", 2.0), "moons")
    assert unit.about == "How often the moon was full."


def test_a_module_with_two_signs(module: Callable[[str], ModuleType]) -> None:
    waxing, waning = _units(module(TWO))
    assert (waxing.id, waxing.shows, waxing.core, waxing.family) == ("moon-waxing", "condition", True, "moons")
    assert waxing.about == "How fast it grows.\n\nA night at a time."
    assert (waning.core, waning.remedy, waning.about) == (False, "Wait.", "How fast it shrinks.")


def test_a_module_outside_of_any_package_has_no_family() -> None:
    module = ModuleType("moon")
    exec(ONE, module.__dict__)
    assert _units(module)[0].family == ""


@pytest.mark.parametrize("unit", all_signs().values(), ids=lambda unit: unit.id)
def test_every_sign_says_what_it_is(unit) -> None:
    assert unit.about and unit.question.endswith("?") and unit.family
    source = inspect.getsource(sys.modules[unit.measure.__module__])
    assert f'"{unit.id}"' in source, "searching for an id finds the file that measures it"


def test_mirror_images_report_under_their_own_ids() -> None:
    empty = RunBuilder("run.tdx", "observed").build()
    for unit in all_signs().values():
        found = unit.measure(empty)
        assert found.id == unit.id, found
        assert not isinstance(found, Missing) or found.reason
