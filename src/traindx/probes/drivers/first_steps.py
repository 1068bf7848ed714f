"""The first steps as the script makes them and, on request, its next evaluation."""

from __future__ import annotations

from typing import Any

from ..acting.limits import Part
from ..acting.roles import UntilEvaluated
from ._deep_looks import DeepLooks
from ._wiring import Wiring

EVERY = 6


class _Looks(DeepLooks):
    """Looks at every sixth step: ten looks in the 60 steps of a check."""

    def __init__(self, session: Any) -> None:
        super().__init__(session, lambda step: step >= EVERY and step % EVERY == 0, ("along_step", "mode_gap"))


def begin(options: dict[str, Any]) -> Part:
    driver = UntilEvaluated(int(options["steps"]), float(options["seconds"]), bool(options.get("evaluation")))
    return Part(driver, [Wiring, _Looks] if options.get("wiring") else [], driver.findings)
