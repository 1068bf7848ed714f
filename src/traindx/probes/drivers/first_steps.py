"""The first steps as the script makes them, then a short cut to its next evaluation."""

from __future__ import annotations

from typing import Any

from ..acting.ending import UntilEvaluated
from ..acting.part import Part
from ._deep_looks import DeepLooks
from ._wiring import Wiring

KIND = "first-steps"

LOOKS_FROM = 6


class _Looks(DeepLooks):
    """Every sixth step, once the first transient is over: ten looks at what the script's own steps do."""

    def __init__(self, session: Any) -> None:
        super().__init__(session, lambda step: step >= LOOKS_FROM and step % 6 == 0, ("along_step", "mode_gap"))


def begin(options: dict[str, Any]) -> Part:
    driver = UntilEvaluated(int(options["steps"]), float(options["seconds"]), bool(options.get("evaluation")))
    return Part(driver, [Wiring, _Looks] if options.get("wiring") else [], driver.findings)
