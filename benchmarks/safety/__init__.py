"""Attacks on what traindx promises not to harm.

A module of this folder that defines `TITLE` and `attacks() -> Iterator[Attack]` is a class of attacks; it is found by
walking the folder. One `Attack` may stand for many attempts of a kind, such as mutations of a file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """One attempt, or `tried` of a kind. `harmed` says what was broken, lost, run or leaked; empty if nothing was."""

    name: str
    harmed: str = ""
    tried: int = 1
    failed: int | None = None  # of several attempts; of one, whether it did harm

    @property
    def failures(self) -> int:
        return int(bool(self.harmed)) if self.failed is None else self.failed
