"""A fault is claimed with a proof or two witnesses, and never against a contradiction."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from traindx.record import Run, RunBuilder
from traindx.signs import Fact, Measured, Sign, sign
from traindx.signs._grounds import ONE_WITNESS, looked_up

SEEN = 0.7
Holds = Callable[[Run, Sign], str | None]


def says(words: str | None) -> Holds:
    return lambda run, sign: words


def claim(level: float = 1.0, shows: str = "fault", **rests_on: object) -> Sign:
    @sign("it", "What is it?", shows, **rests_on)
    def it(run: Run) -> Measured | str:
        return Measured(1.0, "The line is wrong.", level, onset=3)

    unit = looked_up(it)
    found = unit.measure(RunBuilder("run.tdx", "observed").build())
    assert isinstance(found, Sign)
    return found


ITSELF = Fact("Measured.")
AGREES, SILENT = Fact("Agrees.", says("it agrees")), Fact("Is silent.", says(None))
AGAINST = Fact("Denies.", says("another line says the opposite"))


@pytest.mark.parametrize("witnesses", [(ITSELF, AGREES), (AGREES, AGREES), (ITSELF, SILENT, AGREES)])
def test_two_witnesses_make_a_claim(witnesses: tuple[Fact, ...]) -> None:
    assert claim(witnesses=witnesses, refuters=(SILENT,)).level == 1.0


@pytest.mark.parametrize("witnesses", [(ITSELF, SILENT), (ITSELF,), ()])
def test_one_witness_is_a_suspicion(witnesses: tuple[Fact, ...]) -> None:
    sign = claim(witnesses=witnesses)
    assert sign.level == ONE_WITNESS < SEEN and sign.raised
    assert sign.values["unconfirmed"] == [fact.says for fact in witnesses if fact is SILENT]


def test_a_proof_needs_no_witness() -> None:
    assert claim(proof="The value itself.").level == 1.0


@pytest.mark.parametrize("rests_on", [{"proof": "The value itself."}, {"witnesses": (ITSELF, AGREES)}])
@pytest.mark.parametrize("level", [0.5, 1.0])
def test_a_contradiction_ends_the_claim_and_is_said(level: float, rests_on: dict[str, object]) -> None:
    sign = claim(level, refuters=(SILENT, AGAINST), **rests_on)
    assert sign.level == 0.0 and sign.severity == "info" and sign.onset is None
    assert sign.values["refuted_by"] == "another line says the opposite" and "the opposite" in sign.text


def test_what_is_normal_or_no_fault_needs_no_ground() -> None:
    assert claim(0.3).level == 0.3
    assert claim(shows="outcome").level == 1.0
