"""A decorated function is a sign, and is found with everything that is said of it."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

from traindx.record import Run, RunBuilder
from traindx.signs import Measured, Missing, Scale, Sign, Unless, all_signs, sign
from traindx.signs._measure import _units
from traindx.units import modules_of

MOON = '''
from traindx.signs import Measured, Scale, sign


@sign("moon-waxing", "What does the moon do?", "condition", Scale(2.0, 4.0), core=True, from_start=True)
def waxing(run):
    """How fast it grows.

    A night at a time.
    """
    return Measured(run, "it grows", onset=7) if run else "nobody looked"


@sign("moon-full", "What does the moon do?", "dynamics", severity="critical", remedy="Wait.")
def full(run):
    """How full it is."""
    return Measured(run, "it is full", onset=7)
'''


@pytest.fixture
def moon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "moons").mkdir()
    (tmp_path / "moons" / "__init__.py").write_text("")
    (tmp_path / "moons" / "phases.py").write_text(MOON)
    (tmp_path / "moons" / "user.py").write_text("from .phases import waxing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("moons", "moons.phases", "moons.user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (found,) = modules_of("moons", defining=lambda module: bool(_units(module)))
    return found  # not the module that only uses a sign


def test_a_sign_is_found_with_everything_it_says(moon: ModuleType) -> None:
    waxing, full = _units(moon)
    assert (waxing.id, waxing.shows, waxing.core, waxing.family) == ("moon-waxing", "condition", True, "moons")
    assert waxing.about == "How fast it grows.\n\nA night at a time."
    assert (full.core, full.remedy, full.about) == (False, "Wait.", "How full it is.")


def test_a_scale_gives_the_level(moon: ModuleType) -> None:
    assert [moon.waxing.measure(value).level for value in (1.0, 2.0, 3.0, 9.0)] == [0.0, 0.0, 0.5, 1.0]
    assert Scale(1.0, 0.01, log=True).level(0.1) == pytest.approx(0.5)


def test_without_a_scale_the_value_is_the_level(moon: ModuleType) -> None:
    assert moon.full.measure(0.7).level == 0.7


def test_only_a_raised_sign_has_an_onset_and_a_severity(moon: ModuleType) -> None:
    raised, normal = moon.waxing.measure(4.0), moon.waxing.measure(1.0)
    assert (raised.onset, raised.severity) == (0, "warning")
    assert (normal.onset, normal.severity) == (None, "info")
    assert (moon.full.measure(1.0).onset, moon.full.measure(1.0).severity) == (7, "critical")


@pytest.mark.parametrize(("holds", "counts"), [(0.0, 1.0), (0.5, 0.7), (1.0, 0.4)])
def test_what_makes_a_sign_harmless_counts_as_far_as_it_holds(holds: float, counts: float) -> None:
    @sign("moon-full", "What does the moon do?", "dynamics")
    def full(_run: Run) -> Measured:
        return Measured(1.0, "it is full", unless=Unless(holds, "it always is", most=0.4))

    found = full.measure(RunBuilder("run.tdx", "observed").build())
    assert isinstance(found, Sign) and found.level == pytest.approx(counts) and found.value == 1.0
    assert ("it always is" in found.text) == (holds >= 0.5)


def test_a_low_level_is_not_raised_by_what_makes_it_harmless() -> None:
    @sign("moon-full", "What does the moon do?", "dynamics")
    def full(_run: Run) -> Measured:
        return Measured(0.2, "it is a sickle", unless=Unless(1.0, "it always is", most=0.4))

    found = full.measure(RunBuilder("run.tdx", "observed").build())
    assert isinstance(found, Sign) and (found.level, found.text) == (0.2, "it is a sickle")


def test_a_reason_means_missing(moon: ModuleType) -> None:
    assert moon.waxing.measure(None) == Missing("moon-waxing", "nobody looked")


def test_a_module_outside_of_any_package_has_no_family() -> None:
    module = ModuleType("moon")
    exec(MOON, module.__dict__)
    assert [unit.family for unit in _units(module)] == ["", ""]


def test_every_module_of_a_group_defines_a_sign() -> None:
    """What lies there and is not decorated would be measured by nobody."""
    modules = list(modules_of("traindx.signs", defining=lambda module: module.__name__.count(".") > 2))
    assert modules and not [module.__name__ for module in modules if not _units(module)]


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


@pytest.mark.parametrize("unit", [u for u in all_signs().values() if u.shows == "fault"], ids=lambda unit: unit.id)
def test_a_sign_that_shows_a_fault_says_what_it_rests_on(unit) -> None:
    assert bool(unit.proof) != (len(unit.witnesses) >= 2), "either one proof or two witnesses"
    assert unit.refuters, "there is always something that would contradict it"
    sentences = [unit.proof, *(fact.says for fact in (*unit.witnesses, *unit.refuters))]
    assert all(sentence.endswith(".") for sentence in sentences if sentence)
