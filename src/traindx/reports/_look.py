"""Options of a report's appearance, apart from its format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """`why` adds each hypothesis's arithmetic and shortens no list; `ascii_only` is for streams without Unicode;
    `details` adds the reports of many runs to their table."""

    why: bool = False
    width: int = 80
    colour: bool = False
    ascii_only: bool = False
    details: bool = False
