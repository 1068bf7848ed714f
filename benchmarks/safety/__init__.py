"""Attacks on what traindx promises not to harm.

A module of this folder whose name begins with no underscore is a class of attacks. It defines `TITLE` and
`attacks() -> Iterator[Attack]`; it is found by walking the folder.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """One attempt. `harmed` says what was broken, lost, run or leaked; empty where nothing was."""

    name: str
    harmed: str = ""
