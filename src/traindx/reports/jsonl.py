"""The diagnoses of several runs as JSON lines: each line is the object of the format `json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..diagnosis import Diagnosis
from ._look import Look
from .json import as_object

SUFFIXES = (".jsonl",)


def render(diagnosis: Diagnosis, look: Look) -> str:  # noqa: ARG001 (JSON looks the same everywhere)
    return json.dumps(as_object(diagnosis), allow_nan=False)


def render_all(diagnoses: Sequence[Diagnosis], look: Look) -> str:
    return "\n".join(render(diagnosis, look) for diagnosis in diagnoses)
