"""The HTML page of runs and their diagnoses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ..record import Run


def page_of_diagnoses(diagnoses: Sequence[Diagnosis]) -> str:
    """The page from diagnoses alone, without the runs: they contain the losses, but nothing by layer."""
    from ..record import RunBuilder

    pairs = []
    for diagnosis in diagnoses:
        builder = RunBuilder(diagnosis.source, diagnosis.kind).fact("steps", diagnosis.steps)
        for name, series in (("loss/train", diagnosis.loss), ("loss/validation", diagnosis.validation)):
            if series:
                builder.series(name, series.steps, series.values)
        pairs.append((builder.build(), diagnosis))
    return page_of(pairs)


def page_of(pairs: Sequence[tuple[Run, Diagnosis]]) -> str:
    from ..comparison import short_names
    from ..reports.html import section
    from ..reports.page import document, report

    names = short_names([run.source for run, _ in pairs])
    reports = [report(run, diagnosis, name) for (run, diagnosis), name in zip(pairs, names, strict=True)]
    return document(reports, fallback="".join(section(diagnosis) for _, diagnosis in pairs))
