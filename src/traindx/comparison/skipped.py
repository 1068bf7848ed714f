"""Collects the files in a folder that are not among the compared or plotted runs, and the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ._sidecars import is_config
from .places import Place

MOST_NAMED = 5  # names in a message


@dataclass
class Skipped:
    beside_logs: list[str] = field(default_factory=list)  # text with training values beside logs of a certain format
    unreadable: list[str] = field(default_factory=list)  # reasons, each with the name of its file
    no_log: int = 0  # number of text files without training values

    def add_text_beside_log(self, place: Place) -> None:
        self.beside_logs.append(str(place.path.relative_to(place.root) if place.root else place.path))

    def add(self, place: Place, reasons: list[str]) -> None:
        """Add a file that could not be read: a damaged log, or not a log."""
        if place.weak:
            self.no_log += bool(reasons)
        elif not is_config(place.path):
            self.unreadable += reasons

    def sentences(self) -> Iterator[str]:
        if self.beside_logs:
            yield f"text beside other logs was not read ({_some(self.beside_logs)}): name the files to include them"
        for reason in self.unreadable[:MOST_NAMED]:
            yield f"skipped: {reason}"
        if len(self.unreadable) > MOST_NAMED:
            yield f"skipped: {len(self.unreadable) - MOST_NAMED} further files for similar reasons"
        if self.no_log:
            yield f"text files without training values skipped: {self.no_log}"


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"
