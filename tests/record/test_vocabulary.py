"""`docs/record.md` lists every name that observers, probes and readers write."""

from __future__ import annotations

import ast
import re
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import traindx
from traindx.readers.meaning.assembly import LogFacts
from traindx.record import program
from traindx.record.facts import Facts, readers
from traindx.record.forms import Entry, fields_of, hints_of
from traindx.record.site import Site

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


DERIVED = {Entry: {"held"}, program.Group: {"optimizer", "index", "site", "settings"}, program.Optimizer: {"index"},
           program.LossCall: {"kind", "in_evaluation"}}  # fields that stand in no entry  # fmt: skip


def forms() -> set[type]:
    """Every class that a fact, or an entry in it, is read as."""
    found: set[type] = set()
    waiting = list(hints_of(Facts).values())
    while waiting:
        hint = waiting.pop()
        waiting += typing.get_args(hint)
        if is_dataclass(hint) and hint is not Site and hint not in found:
            found.add(hint)
            waiting += hints_of(hint).values()
    return found


def keys(kind: type) -> Iterator[str]:
    """The names in the record of what a form reads."""
    own = set().union(*(names for base, names in DERIVED.items() if issubclass(kind, base)))
    return (key for name, key, _ in fields_of(kind) if name not in own)


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
    documented = DOC.read_text().split("## Facts", 1)[1]
    missing = [key for key, _ in readers().values() if f"`{key}`" not in documented]
    missing += [f"{kind.__name__}.{key}" for kind in forms() for key in keys(kind) if f'"{key}"' not in documented]
    assert missing == []


@pytest.mark.skipif(not DOC.exists(), reason="the documentation is not installed with the package")
def test_every_key_of_the_fact_of_a_log_is_listed() -> None:
    line = next(line for line in DOC.read_text().splitlines() if line.startswith("| `log` |"))
    assert [field.name for field in fields(LogFacts) if f'"{field.name}"' not in line] == []


@pytest.mark.parametrize(
    "room", ["signs", "facts", "conditions", "causes", "diagnosis", "comparison", "reports", "treatments"]
)
def test_facts_are_read_by_their_types(room: str) -> None:
    raw = re.compile(r"\.(fact|entries|facts\.get)\(\"")
    paths = (PACKAGE / room).rglob("*.py")
    assert [
        f"{path.name}: {line.strip()}" for path in paths for line in path.read_text().splitlines() if raw.search(line)
    ] == []
