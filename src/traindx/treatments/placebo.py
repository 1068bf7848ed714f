"""An intervention that should have no effect, so that any effect it has is noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..observe.hook_points.hooks import Driver
from ._base import Dose
from .interventions import scale_lr

RELATIVE = 1e-6
DOSE = Dose({"factor": 1.0 + RELATIVE}, f"learning rate times 1 + {RELATIVE:g}")


def begin(options: Mapping[str, Any]) -> Driver:
    return scale_lr.begin(options)
