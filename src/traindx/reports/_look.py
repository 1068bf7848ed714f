"""How a report is to look, apart from its format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """`why` shows each hypothesis's arithmetic and shortens nothing; `ascii_only` is for streams without Unicode."""

    why: bool = False
    width: int = 80
    colour: bool = False
    ascii_only: bool = False
