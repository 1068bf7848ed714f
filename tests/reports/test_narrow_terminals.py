"""In a narrow terminal a label stands above its text, and no word is broken by the terminal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from traindx.diagnosis import diagnose
from traindx.record import RunBuilder
from traindx.reports import render

STEPS = np.arange(30)
OVERFIT = (
    RunBuilder("log.csv", "log")
    .series("loss/train", STEPS, 0.2 + 2 * np.exp(-STEPS / 5))
    .series("loss/validation", STEPS, 0.3 + 2 * np.exp(-STEPS / 5) + 0.03 * np.maximum(0, STEPS - 12))
    .build()
)


def lines_of(width: int) -> list[str]:
    """The report's lines. Code is never folded, so it is left out."""
    found = diagnose(OVERFIT)
    plain = [replace(c, remedies=tuple(replace(r, code=None) for r in c.remedies)) for c in found.conditions]
    return render(replace(found, conditions=plain), "text", width=width).splitlines()


@pytest.mark.parametrize("width", [40, 50, 59])
def test_all_lines_fit(width: int) -> None:
    lines = lines_of(width)
    assert max(map(len, lines)) <= width
    assert lines[0] == "SICK" and lines[1].startswith("  Overfitting since step")
    assert "LOSS" in lines and "NEXT" in lines


def test_a_terminal_of_sixty_columns_has_its_labels_beside_the_text() -> None:
    lines = lines_of(60)
    assert lines[0].startswith("SICK          Overfitting since step") and max(map(len, lines)) <= 60
