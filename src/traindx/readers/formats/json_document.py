"""A JSON file that holds a training history somewhere: a list of objects, or one list per name as in Keras."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...record import Run
from ..meaning.names import role_of
from ..options import NotThisFormatError, Options, ReaderError
from ..rows.collector import number, table_of
from ..rows.runs import runs_from_rows
from ..rows.table import Table, from_dense
from ..source import Source

KIND = "json"
# Parsed JSON needs about ten times its size in memory.
LARGEST = 1 << 28
DEEPEST = 5
_LIST_OF_NUMBERS = re.compile(r"\[\s*\[?\s*[-+]?(?:\d|nan|\.)", re.IGNORECASE)
# A dictionary of lists as Python prints it, for example by `print(history.history)`.
_WRITTEN_BY_PYTHON = re.compile(r"[\[{]\s*['\"][^'\"\n]{1,60}['\"]\s*:\s*(?:array\()?\[")
_PYTHON_WORDS = {"'": '"', "None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
_IN_PYTHON = re.compile(r"'|\b(?:None|True|False|nan|inf)\b")
_WRAPPED = re.compile(r"\b(?:(?:np|numpy)\.)?(?:float\d*|array|tensor|dtype=\w+)\(([^()]*?)(?:,\s*dtype=[\w.]+)?\)")


def sniff(source: Source) -> float:
    # Less sure than `json_lines`, which reads files with one object per line.
    head = source.text_head.lstrip()
    if head[:1] not in ("{", "["):
        return 0.0
    return 0.5 if '"' in head or _LIST_OF_NUMBERS.match(head) else 0.45 if _WRITTEN_BY_PYTHON.match(head) else 0.0


def read(source: Source, options: Options) -> list[Run]:
    document = parse(source)
    first = document[0] if isinstance(document, list) and document else document
    if isinstance(first, dict) and str(first.get("schema")).startswith("traindx."):
        raise ReaderError(f"{source.name} is an answer of traindx, not a log")
    table = find_history(document)
    if table is None:
        raise ReaderError(f"{source.name} is JSON without a training history in it")
    if isinstance(document, dict):
        table.config = {
            k: v for k, v in document.items() if isinstance(v, (int, float, str)) and not isinstance(v, bool)
        }
    return runs_from_rows(table, source.name, KIND, options)


def parse(source: Source) -> Any:
    """Parse the whole document. A bare NaN, as Python writes it, is accepted."""
    try:
        text = source.whole(LARGEST, "a JSON document").decode(source.encoding, "replace")
        return parse_text(text.replace("\0", "").lstrip("\ufeff"))
    except ValueError as error:
        raise NotThisFormatError(f"{source.name} is not valid JSON ({error})") from None


def parse_text(text: str) -> Any:
    """Parse JSON, or a dictionary or list as Python prints it. Raises ValueError."""
    try:
        return json.loads(text)
    except ValueError:
        if not _WRITTEN_BY_PYTHON.match(text.lstrip()):
            raise
        plain = _WRAPPED.sub(r"\1", text)
        return json.loads(_IN_PYTHON.sub(lambda found: _PYTHON_WORDS[found[0]], plain))


def find_history(document: Any) -> Table | None:
    """Return the part of the document that looks most like a training history."""
    if isinstance(document, list) and len(document) > 1 and all(number(cell) is not None for cell in document):
        [table] = _table_of_lists({"loss": document})
        table.notes.append("a list of numbers, without a name: read as the training loss")
        return table
    found = sorted(
        _histories(document, DEEPEST),
        key=lambda table: (any(role_of(name).kind == "loss" for name in table.columns), table.length),
        reverse=True,
    )
    return found[0] if found and found[0].columns else None


def _histories(value: Any, depth: int) -> Iterator[Table]:
    if depth == 0:
        return
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        yield table_of(value)
    elif isinstance(value, dict):
        yield from _table_of_lists(value)
        for inner in value.values():
            if isinstance(inner, (dict, list)):
                yield from _histories(inner, depth - 1)
        if len(value) > 1 and all(isinstance(row, dict) and _epoch_of(key).isdigit() for key, row in value.items()):
            yield table_of({"epoch": float(_epoch_of(key)), **row} for key, row in value.items())


def _epoch_of(key: Any) -> str:
    return str(key).removeprefix("epoch").lstrip("_ ")


def _table_of_lists(value: dict[Any, Any]) -> Iterator[Table]:
    """Read `{"loss": [...], "val_loss": [...]}`, or the same with an index as pandas writes it."""
    columns, filled = {}, {}
    for key, cells in value.items():
        if isinstance(cells, dict) and cells and all(str(index).isdigit() for index in cells):
            cells = list(cells.values())
        if isinstance(cells, list) and cells and all(cell is None or number(cell) is not None for cell in cells):
            numbers = [number(cell) for cell in cells]
            columns[str(key)] = np.array([np.nan if x is None else x for x in numbers], float)
            filled[str(key)] = np.array([x is not None for x in numbers])
    if columns:
        yield from_dense(columns, filled)
