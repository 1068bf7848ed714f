"""Reports: several renderers for one `Diagnosis`. Nothing is measured or judged here.

Each format is one file, and the file's name is the format. Its module defines `SUFFIXES` (of files written with
-o), `render(diagnosis, look) -> str` for one run and `render_all(diagnoses, look) -> str` for several.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from .._lazy import lazy_names
from ._look import Look

if TYPE_CHECKING:
    from ..diagnosis import Diagnosis
    from ._overview import Row as Row
    from ._overview import conditions_in as conditions_in
    from ._overview import file_of as file_of
    from ._overview import row_of as row_of
    from ._overview import worst_first as worst_first
    from ._sections import Entry as Entry
    from ._sections import Section as Section
    from ._sections import lines as lines
    from .text import page_of as page_of

_WHERE = {
    **dict.fromkeys(("Row", "conditions_in", "file_of", "row_of", "worst_first"), "._overview"),
    **dict.fromkeys(("Entry", "Section", "lines"), "._sections"),
    "page_of": ".text",
}
__getattr__ = lazy_names(__name__, _WHERE)
__all__ = ["Look", "format_names", "format_of", "render", "render_all", "render_rows", *_WHERE]


@cache
def format_names() -> tuple[str, ...]:
    found = iter_modules(__path__)  # subpackages render other things than a diagnosis
    return tuple(module.name for module in found if not module.name.startswith("_") and not module.ispkg)


def format_of(path: Path) -> str:
    """The format for a file's suffix; text for an unknown suffix."""
    return next((name for name in format_names() if path.suffix.lower() in _renderer(name).SUFFIXES), "text")


def render(diagnosis: Diagnosis, format: str = "text", **look: Any) -> str:
    """One diagnosis in the given format; `Look` explains the options."""
    return str(_renderer(format).render(diagnosis, Look(**look)))


def render_all(diagnoses: Sequence[Diagnosis], format: str = "text", **look: Any) -> str:
    """One or several diagnoses, ending with a newline; options as for `render`."""
    if len(diagnoses) == 1:
        return render(diagnoses[0], format, **look) + "\n"
    return str(_renderer(format).render_all(diagnoses, Look(**look))) + "\n"


def render_rows(rows: Sequence[Row], format: str = "text", **look: Any) -> str:
    """The table of many runs, as text or Markdown, from what `row_of` says of each."""
    return str(_renderer(format).render_rows(rows, Look(**look))) + "\n"


def _renderer(format: str) -> Any:
    if format not in format_names():
        raise ValueError(f"no format {format!r}: there are {', '.join(format_names())}")
    return import_module(f".{format}", __package__)
