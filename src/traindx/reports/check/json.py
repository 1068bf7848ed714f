"""The check's report as plain dicts and lists: the diagnosis's JSON object plus the answers as `checks`."""

from __future__ import annotations

from typing import Any

from ...diagnosis.checks import CheckReport
from ..json import as_object as diagnosis_object
from ..json import strict


def as_object(report: CheckReport) -> dict[str, Any]:
    checks = [
        {"id": a.id, "group": a.group, "status": a.status, "text": a.text, "values": strict(a.values)}
        for a in report.answers
    ]
    return {**diagnosis_object(report.diagnosis), "checks": checks}
