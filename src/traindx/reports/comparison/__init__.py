"""Reports of a comparison of runs. Each format is one file, and the file's name is the format."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._look import Look

if TYPE_CHECKING:
    from ...comparison import Comparison

__all__ = ["FORMATS", "render"]

FORMATS = ("text", "json", "html")


def render(comparison: Comparison, format: str = "text", **look: Any) -> str:
    """The comparison in the given format, ending with a newline; options as in `Look`."""
    return str(import_module(f".{format}", __package__).render(comparison, Look(**look))) + "\n"
