"""A run as charts see it: named, coloured, and with what was found wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...diagnosis import Diagnosis
from ...record import Run
from ...wording import clean

# Distinct for most kinds of colour vision (after Okabe and Ito), the strong ones first.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5539", "#5c5c5c")
BROKEN = "#c01c28"  # NaN and infinity, everywhere
VALIDATION = "#d55e00"


@dataclass(frozen=True, eq=False)
class Subject:
    run: Run
    name: str
    colour: str
    diagnosis: Diagnosis | None = None  # only where there is room to mark what it found


def subjects_of(runs: Sequence[Run], names: Sequence[str], diagnosis: Diagnosis | None = None) -> list[Subject]:
    """Colours repeat past the palette: nobody tells twenty lines apart by colour."""
    return [
        Subject(run, clean(name), PALETTE[i % len(PALETTE)], diagnosis if len(runs) == 1 else None)
        for i, (run, name) in enumerate(zip(runs, names, strict=True))
    ]
