"""One solved case: the signs that the run showed, the proven cause, the fix and its effect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

from .. import __version__
from ..observe.secrets import masked_text
from ..record.redacting import base_name
from ..wording import num4

LONGEST_TEXT = 1000
LONGEST_PATCH = 20_000  # characters; a longer patch is left out, because a part of it would not apply
MOST_SIGNS = 1000


@dataclass(frozen=True)
class Effect:
    """What the fix changed: the name of a measure, and its value in the control runs and in the treated runs."""

    measure: str
    control: float
    treated: float
    interval: tuple[float, float] | None = None  # of the difference, at the confidence that the trial used

    def __str__(self) -> str:
        return f"{self.measure} {num4(self.control)} → {num4(self.treated)}"


@dataclass(frozen=True)
class Case:
    """One solved case. `signature` holds the level of every sign that was measured before the treatment, by id."""

    script: str
    signature: Mapping[str, float]
    cause: str
    intervention: str
    verdict: str  # cured or helped
    fix: str  # one sentence
    effect: Effect
    patch: str | None = None
    date: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    version: str = __version__
    id: int | None = None  # given by the history

    def masked(self) -> Case:
        """Return the case for storing: only the base name of the script, no addresses or tokens, no long texts."""
        patch = masked_text(self.patch, LONGEST_PATCH + 1) if self.patch else None
        levels = sorted(self.signature.items(), key=lambda item: -item[1])[:MOST_SIGNS]
        return replace(
            self,
            script=masked_text(base_name(self.script), 200),
            signature={name: round(float(level), 3) for name, level in levels},
            fix=masked_text(self.fix, LONGEST_TEXT),
            patch=patch if patch and len(patch) <= LONGEST_PATCH else None,
        )

    def as_object(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, stored: Any, number: int | None = None) -> Case:
        """Make a case from the result of `as_object`. Raises ValueError if a value has a wrong type."""
        try:
            effect = stored["effect"]
            interval = effect.get("interval")
            case = cls(
                **{name: _text(stored[name]) for name in _TEXTS},
                signature={_text(sign): _level(level) for sign, level in stored["signature"].items()},
                effect=Effect(
                    _text(effect["measure"]),
                    float(effect["control"]),
                    float(effect["treated"]),
                    None if interval is None else (float(interval[0]), float(interval[1])),
                ),
                patch=None if stored.get("patch") is None else _text(stored["patch"]),
                id=number,
            )
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"not a case: {error!r}") from None
        return case


_TEXTS = ("script", "cause", "intervention", "verdict", "fix", "date", "version")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _level(value: object) -> float:
    level = float(value)  # type: ignore[arg-type]
    if math.isnan(level):
        raise TypeError("a level is not a number")
    return min(1.0, max(0.0, level))
