"""The report model: everything that the page shows of one run, as JSON values.

Each section is one file; its function returns None if the run has no data for it. Arrays are packed (`arrays.py`);
every text is plain text, never markup.
"""

from __future__ import annotations

from typing import Any

from ....diagnosis import Diagnosis
from ....record import Run
from .about import about, setup
from .causes import causes, checks, next_commands, symptoms
from .curves import curves
from .data import data
from .layers import layers
from .marks import marks
from .timing import timing
from .treatment import treatment
from .verdict import verdict

FORMAT = 1


def report(run: Run, diagnosis: Diagnosis, name: str = "") -> dict[str, Any]:
    """Everything the page shows of one run; `name` distinguishes it from other runs on the page."""
    return {**summary(run, diagnosis, name), "curves": curves(run)}


def summary(run: Run, diagnosis: Diagnosis, name: str = "") -> dict[str, Any]:
    """The same without the curves, which a live page receives point by point."""
    return {
        "format": FORMAT,
        "about": about(run, diagnosis, name),
        "verdict": verdict(diagnosis),
        "causes": causes(run, diagnosis),
        "symptoms": symptoms(run, diagnosis),
        "checks": checks(diagnosis),
        "next": next_commands(diagnosis),
        "marks": marks(run, diagnosis),
        "layers": layers(run),
        "timing": timing(run),
        "data": data(run),
        "treatment": treatment(diagnosis),
        "setup": setup(run),
    }
