"""Prints text safely, and the error of a verb that cannot do what the user asked for."""

from __future__ import annotations

import codecs
import sys
from typing import TYPE_CHECKING

from ..errors import PlainError
from ..wording import clean, clean_page

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


def say(text: str, stream: SupportsWrite[str] | None = None, *, end: str = "\n") -> None:
    """Print `text`; characters that the stream cannot encode are escaped.

    Control characters, which names in a log may contain, become spaces. Standard output may show the colours of a
    report; a message to another stream is one plain line.
    """
    stream = stream or sys.stdout
    text = clean_page(text) if stream is sys.stdout else clean(text).replace("\n", " ")
    encoding = encoding_of(stream)
    stream.write((text + end).encode(encoding, "backslashreplace").decode(encoding))


def complain(verb: str, text: str) -> None:
    """One line on stderr, under the verb's name."""
    say(f"traindx {verb}: {text}", sys.stderr)
    sys.stderr.flush()


def encoding_of(stream: SupportsWrite[str]) -> str:
    """The canonical name of the stream's encoding; utf-8 for a stream without one, as in a notebook."""
    return codecs.lookup(getattr(stream, "encoding", None) or "utf-8").name


class CommandError(PlainError):
    """A verb cannot do what the user asked for."""
