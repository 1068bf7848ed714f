"""What a sign is, and the helpers that every sign may use."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["critical", "warning", "info"]


@dataclass(frozen=True)
class Sign:
    """One measurement.

    `value` is the number in the sign's own unit. `level` places it on the sign's scale: 0 is what ordinary
    healthy runs show, 1 is unmistakable; diagnosis reads levels, people read `text`.
    """

    id: str
    value: float
    level: float
    text: str
    onset: int | None = None
    severity: Severity = "info"
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.level <= 1.0:  # also refuses NaN
            raise ValueError(f"{self.id}: level {self.level} is not between 0 and 1")

    @property
    def raised(self) -> bool:
        return self.level >= 0.5


@dataclass(frozen=True)
class Missing:
    """The run does not hold what this sign needs; `reason` says what was lacking."""

    id: str
    reason: str


class Signs(Mapping[str, Sign]):
    """All signs of a run: those measured, by id, and why the others are missing."""

    def __init__(self, found: Mapping[str, Sign], missing: Mapping[str, Missing]) -> None:
        self._found = dict(found)
        self.missing = dict(missing)

    def __getitem__(self, sign_id: str) -> Sign:
        return self._found[sign_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def level(self, sign_id: str) -> float | None:
        """The level, or None where the sign is missing."""
        sign = self._found.get(sign_id)
        return None if sign is None else sign.level

    def raised(self) -> list[Sign]:
        return [sign for sign in self._found.values() if sign.raised]


def ramp(value: float, normal: float, gross: float, *, log: bool = False) -> float:
    """Place `value` on a scale: 0 at `normal` (and beyond, on the healthy side), 1 at `gross`, linear between.

    `gross` may be below `normal` (for quantities that are bad when small). With `log`, linear in the logarithm.
    """
    if math.isnan(value):
        return 0.0
    if log:
        tiny = 1e-300
        value, normal, gross = (math.log(max(x, tiny)) for x in (value, normal, gross))
    if math.isinf(value):
        return 1.0 if (value > 0) == (gross > normal) else 0.0
    return min(1.0, max(0.0, (value - normal) / (gross - normal)))
