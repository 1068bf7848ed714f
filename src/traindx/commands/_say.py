"""Writes to a stream that may not know every character: a report must not die of a quotation mark."""

from __future__ import annotations

import codecs
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


def say(text: str, stream: SupportsWrite[str] | None = None, *, end: str = "\n") -> None:
    """Print `text`; what the stream cannot encode appears as an escape."""
    stream = stream or sys.stdout
    encoding = encoding_of(stream)
    stream.write((text + end).encode(encoding, "backslashreplace").decode(encoding))


def encoding_of(stream: SupportsWrite[str]) -> str:
    """The stream's encoding by its canonical name; utf-8 for one that keeps text, as in a notebook."""
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name
