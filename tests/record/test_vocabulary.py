"""`docs/record.md` lists every name that observers, probes and readers write."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import traindx
from traindx.readers.meaning.assembly import LogFacts
from traindx.record import program

PACKAGE = Path(traindx.__file__).parent
DOC = PACKAGE.parents[1] / "docs" / "record.md"
SERIES = ("scalar", "scalars", "point", "points", "row", "layers")


def written(*methods: str) -> Iterator[str]:
    """The first arguments of calls that write under a name; of `f"data/{phase}"` what comes before the brace."""
    for room in ("observe", "probes", "readers"):
        for path in (PACKAGE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in methods
                    and len(node.args) + len(node.keywords) >= 2  # reading takes the name alone
                ):
                    name = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
                    if isinstance(name, ast.Constant) and isinstance(name.value, str):
                        yield name.value


def listed(section: str) -> set[str]:
    """The names in the first cells of the table under this heading."""
    text = DOC.read_text().split(f"## {section}", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def known(name: str, names: set[str]) -> bool:
    return name in names or (name.endswith("/") and any(each.startswith(name) for each in names))


@pytest.mark.skipif(not DOC.exists(), reason="the documentation is not installed with the package")
@pytest.mark.parametrize(
    ("methods", "sections"),
    [
        (("fact",), ("Facts",)),
        (("event",), ("Events",)),
        (SERIES, ("Scalar series", "Per-layer tables")),
    ],
)
def test_every_name_that_is_written_is_listed(methods: tuple[str, ...], sections: tuple[str, ...]) -> None:
    names = set().union(*map(listed, sections))
    found = set(written(*methods))
    assert len(found) > 10
    assert sorted(name for name in found if not known(name, names)) == []


@pytest.mark.skipif(not DOC.exists(), reason="the documentation is not installed with the package")
def test_every_key_that_is_listed_is_written() -> None:
    said: set[str] = set()
    for room in ("observe", "probes", "readers", "recorder", "record", "consult", "treatments"):
        for path in (PACKAGE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Constant):
                    said.add(str(node.value))
                elif isinstance(node, ast.keyword):  # of an event or an update
                    said.add(str(node.arg))
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):  # of a dataclass
                    said.add(node.target.id)
        said.update(*(re.findall(r"\w+", path.read_text()) for path in (PACKAGE / room).rglob("*.toml")))
    facts = DOC.read_text().split("## Facts", 1)[1]
    keys = {key for code in re.findall(r"`([^`]*)`", facts) for key in re.findall(r'"([a-z_]+)"', code)}
    assert len(keys) > 200
    assert sorted(keys - said) == []


@pytest.mark.skipif(not DOC.exists(), reason="the documentation is not installed with the package")
def test_every_field_that_is_read_with_a_type_is_listed() -> None:
    facts = DOC.read_text().split("## Facts", 1)[1]
    kinds = [program.Module, program.Model, program.Parameter, program.Optimizer, program.Loader, program.Side]
    names = {field.name for kind in (*kinds, program.LossCall) for field in fields(kind)}
    read = {program.STORED_AS.get(name, name) for name in names}
    derived = {"facts", "index", "in_evaluation", "kind", "type"}
    assert sorted(name for name in read - derived if f'"{name}"' not in facts) == []


@pytest.mark.skipif(not DOC.exists(), reason="the documentation is not installed with the package")
def test_every_key_of_the_fact_of_a_log_is_listed() -> None:
    line = next(line for line in DOC.read_text().splitlines() if line.startswith("| `log` |"))
    assert [field.name for field in fields(LogFacts) if f'"{field.name}"' not in line] == []
