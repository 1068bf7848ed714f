"""A line of the user's source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ..paths import shown
from .values import mapping, number, text


@dataclass(frozen=True)
class Site:
    """A line of the user's source. As text it is `file:line`."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{shown(self.file)}:{self.line}" if self.line else shown(self.file)

    @classmethod
    def of(cls, value: Any) -> Site | None:
        """Make a site from its form in facts (docs/record.md); None if it is not one."""
        site = mapping(value)
        file = text(site.get("file"))
        return cls(file, max(0, int(number(site.get("line")) or 0)), text(site.get("text")).strip()) if file else None


class Located(Protocol):
    """What has a line of the source: an entry of a fact, the details of an event."""

    @property
    def site(self) -> Site | None: ...
