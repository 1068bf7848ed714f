"""An edit replaces text in a script's source. A variant is a set of edits: one fault, or one harmless change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

HEALTHY = "healthy"
Severity = Literal["none", "mild", "gross"]


class EditError(ValueError):
    """The text to replace does not occur exactly once in the source."""


@dataclass(frozen=True)
class Edit:
    """Replaces `old`, which must occur exactly once, by `new`."""

    old: str
    new: str

    def apply(self, source: str) -> str:
        count = source.count(self.old)
        if count != 1:
            raise EditError(f"expected once, found {count} times: {self.old!r}")
        return source.replace(self.old, self.new)


@dataclass(frozen=True)
class Variant:
    """A named change of a host. `note` describes the change; its slug is the variant's name and part of case ids."""

    cause: str
    severity: Severity
    note: str
    edits: tuple[Edit, ...]
    background: bool = False  # a harmless, common change on top of which faults are planted too
    base: tuple[Edit, ...] = ()  # harmless edits that the fault requires; its reference has them too

    @property
    def name(self) -> str:
        return re.sub(r"[^a-z0-9.]+", "-", self.note.lower()).strip("-")

    def apply(self, source: str) -> str:
        return apply_all((*self.base, *self.edits), source)


def apply_all(edits: Iterable[Edit], source: str) -> str:
    for edit in edits:
        source = edit.apply(source)
    return source


def swap(old: str, new: str) -> Edit:
    return Edit(old, new)


def cut(old: str) -> Edit:
    return Edit(old, "")


def after(anchor: str, new: str) -> Edit:
    return Edit(anchor, anchor + new)


def before(anchor: str, new: str) -> Edit:
    return Edit(anchor, new + anchor)


def mild(cause: str, note: str, *edits: Edit) -> Variant:
    """A fault that slows or worsens the training but does not ruin it."""
    return Variant(cause, "mild", note, edits)


def gross(cause: str, note: str, *edits: Edit) -> Variant:
    """A fault that ruins the training."""
    return Variant(cause, "gross", note, edits)


def on(base: tuple[Edit, ...], fault: Variant) -> Variant:
    """The fault on top of base edits that do no harm by themselves."""
    return replace(fault, base=base)


def healthy(note: str, *edits: Edit) -> Variant:
    """A change that looks unusual or suspicious but does no harm."""
    return Variant(HEALTHY, "none", note, edits)


def background(note: str, *edits: Edit) -> Variant:
    """A harmless, common change (optimizer, width …) on top of which the host's faults are planted too."""
    return Variant(HEALTHY, "none", note, edits, background=True)
