"""A run with its name, colour and diagnosis, as charts need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...diagnosis import Diagnosis
from ...record import Run
from ...wording import clean

# Distinct for most kinds of colour vision (after Okabe and Ito), strong colours first.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539", "#5c5c5c")
STROKES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (6, 2, 1.5, 2)), (0, (2, 1.5)))
BROKEN = "#c01c28"  # NaN/Inf in all charts
VALIDATION = "#d55e00"


@dataclass(frozen=True, eq=False)
class Subject:
    run: Run
    name: str
    colour: str
    diagnosis: Diagnosis | None = None  # only for a single run, whose onsets are marked
    stroke: Any = "-"


def subjects_of(runs: Sequence[Run], names: Sequence[str], diagnosis: Diagnosis | None = None) -> list[Subject]:
    """The runs with colours. If there are more runs than colours, colours repeat with other line styles."""
    return [
        Subject(
            run,
            clean(name),
            PALETTE[i % len(PALETTE)],
            diagnosis if len(runs) == 1 else None,
            STROKES[i // len(PALETTE) % len(STROKES)],
        )
        for i, (run, name) in enumerate(zip(runs, names, strict=True))
    ]
