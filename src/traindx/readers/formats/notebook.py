"""Jupyter notebooks: reads what their cells printed, and the HTML tables in their outputs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from ...record import Run
from ..options import Options, ReaderError
from ..source import Source
from . import plain_text
from .json_document import parse

KIND = "notebook"


def sniff(source: Source) -> float:
    head = source.text_head.lstrip()
    return 0.9 if head.startswith("{") and '"cell_type"' in head and '"cells"' in head else 0.0


def read(source: Source, options: Options) -> list[Run]:
    document = parse(source)
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise ReaderError(f"{source.name} has no list of cells")
    text = "\n".join(printed for cell in cells for printed in _printed(cell))
    with io.BytesIO(text.encode("utf-8", "replace")) as file:
        return plain_text.read(Source(source.path, source.name, file), options)


def _printed(cell: Any) -> Iterator[str]:
    """Yield the text of each output of a cell."""
    outputs = cell.get("outputs") if isinstance(cell, dict) else None
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        shown = output.get("data")
        data: dict[str, Any] = shown if isinstance(shown, dict) else {}
        html = _joined(data.get("text/html"))
        if "<t" in html:
            yield "\n".join(_rows(html)) + "\n"
        elif text := _joined(output.get("text")) or _joined(data.get("text/plain")):
            yield text + "\n"


def _joined(text: Any) -> str:
    if isinstance(text, list):
        return "".join(piece for piece in text if isinstance(piece, str))
    return text if isinstance(text, str) else ""


def _rows(html: str) -> list[str]:
    """Return the rows of the tables in a piece of HTML, as text with vertical bars."""
    tables = _Tables()
    tables.feed(html)
    return [f"| {' | '.join(row)} |" for row in tables.rows if row]


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in_cell = False

    def handle_starttag(self, tag: str, _attributes: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td") and self.rows:
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td", "tr"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data.replace("|", " ").strip()
