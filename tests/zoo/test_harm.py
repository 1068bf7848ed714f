"""What counts as harm, on made-up outcomes; and one real patient from source to verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from math import nan

import pytest

from traindx.zoo.cases import HOST_SEEDS, PLAIN, Case, variants_by_host
from traindx.zoo.corpus import recorded_cases
from traindx.zoo.execution import Cache, Outcome, run_cases
from traindx.zoo.harm import judge

GOOD = Outcome(exit=0, seconds=2.0, memory=100.0, train_loss=0.1, val_loss=0.12, quality=0.95)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache in which the plain host has run with all its seeds, nearly alike."""
    monkeypatch.setattr("traindx.zoo.execution.can_observe", lambda: False)
    cache = Cache(tmp_path)
    for seed in HOST_SEEDS:
        put(cache, Case("mlp_digits", PLAIN, seed), replace(GOOD, train_loss=0.1 + seed / 1000))
    return cache


def put(cache, case, outcome):
    cache.directory(case).mkdir(parents=True)
    cache.store(case, outcome)
    return case


def a_case(cause):
    return next(Case("mlp_digits", v, 0) for v in variants_by_host()["mlp_digits"] if v.cause == cause)


@pytest.mark.parametrize(
    ("cause", "changes", "valid"),
    [
        ("lr-too-high", {"train_loss": 0.5}, True),
        ("lr-too-high", {"train_loss": 0.101}, False),
        ("lr-too-high", {"exit": 1, "error": "RuntimeError: all elements of input should be between 0 and 1"}, True),
        ("lr-too-high", {"exit": 1, "error": "NameError: name 'x' is not defined"}, False),
        ("lr-too-high", {"val_loss": nan}, True),
        ("wrong-loss", {"train_loss": 9.0, "val_loss": 9.0}, False),  # another quantity: says nothing
        ("wrong-loss", {"quality": 0.3}, True),
        ("leaked-validation", {"val_loss": 0.03}, True),
        ("leaked-validation", {"val_loss": 0.30}, False),
        ("slow-data-loading", {"seconds": 9.0}, True),
        ("slow-data-loading", {"quality": 0.1}, False),
        ("graph-retained", {"memory": 300.0}, True),
        ("healthy", {"quality": 0.94}, True),
        ("healthy", {"quality": 0.5}, False),
        ("healthy", {"exit": 1}, False),
    ],
)
def test_harm_is_judged_by_what_the_cause_does(cache, cause, changes, valid):
    case = put(cache, a_case(cause), replace(GOOD, **changes))
    verdict = judge(case, cache)
    assert verdict is not None
    assert verdict.valid is valid, verdict.reason


def test_nothing_is_judged_before_its_reference_has_run(tmp_path, monkeypatch):
    monkeypatch.setattr("traindx.zoo.execution.can_observe", lambda: False)
    cache = Cache(tmp_path)
    case = put(cache, a_case("lr-too-high"), replace(GOOD, train_loss=0.5))
    assert judge(case, cache) is None


def test_a_fault_is_compared_with_the_base_it_stands_on():
    fault = next(Case("transformer_lm", v, 0) for v in variants_by_host()["transformer_lm"] if v.cause == "no-warmup")
    assert "self.ln1(x + " in fault.source
    assert "self.ln1(x + " in fault.reference.source
    assert fault.reference.cause == "healthy"
    assert fault.reference.source != fault.source


def test_the_corpus_holds_only_harmful_faults_with_a_record(cache):
    harmful = put(cache, a_case("lr-too-high"), replace(GOOD, train_loss=0.5))
    harmless = put(cache, a_case("lr-too-low"), GOOD)
    for case in (harmful, harmless):
        cache.record(case).touch()
    assert recorded_cases([harmful, harmless], cache) == [harmful]


def test_patients_run_in_their_own_process_and_are_not_run_twice(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    cache = Cache(tmp_path)
    never_stepped = next(
        case
        for case in (Case("mlp_digits", v, 0) for v in variants_by_host()["mlp_digits"])
        if "never-stepped" in case.id
    )
    wanted = [Case("graph_communities", PLAIN, 0), never_stepped]
    outcomes = {case.id: outcome for case, outcome in run_cases(wanted, cache)}
    assert outcomes[wanted[0].id].exit == 0
    assert outcomes[wanted[0].id].quality > 0.7
    assert outcomes[never_stepped.id].quality < 0.5
    assert json.loads((cache.directory(never_stepped) / "result.json").read_text())["case"] == never_stepped.id
    assert list(run_cases(wanted, cache)) == []
