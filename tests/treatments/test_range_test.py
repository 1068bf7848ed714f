"""The learning rate of a trial and that of a range test agree, or the answer says why not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from loops import classifier

from traindx.probes.launch import ProbeError, Script
from traindx.treatments import Options, _range_test, treat


def never(*_: Any) -> bool:
    """A `Start` that nothing is started with."""
    raise AssertionError


@pytest.mark.parametrize(
    ("suggestion", "said"),
    [(0.02, "agrees: it suggests 0.02"), (5.0, "suggests 5, not 0.01"), (None, "suggests no learning rate")],
)
def test_what_is_said(monkeypatch: pytest.MonkeyPatch, suggestion: float | None, said: str) -> None:
    advice = SimpleNamespace(suggestion=suggestion, why_not="no valley")
    monkeypatch.setattr(_range_test, "probe_rates", lambda *_, **__: SimpleNamespace(advice=advice))
    assert said in (_range_test.beside_range_test(Script("train.py"), never, 0.01) or "")


def test_a_script_that_cannot_be_tested_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ProbeError("too short")

    monkeypatch.setattr(_range_test, "probe_rates", fails)
    assert _range_test.beside_range_test(Script("train.py"), never, 0.01) is None


def test_a_proven_learning_rate_is_compared(script: Any, in_process: None) -> None:
    found = treat(script(classifier(optimizer="Adam(model.parameters(), lr=2.0)")), Options())
    assert found.treatment is not None and found.treatment.cause == "lr-too-high"
    assert any("traindx lr" in note for note in found.treatment.notes)
