"""Rooms import upstream only, and nothing private of another room."""

from __future__ import annotations

import ast
from pathlib import Path

import traindx

ROOT = Path(traindx.__file__).parent
# What each room may import beside itself. Files at the top of the package (wording, units …) serve every room.
MAY_IMPORT = {
    "record": set(),
    "observe": {"record"},
    "readers": {"record"},
    "recorder": {"record", "observe"},
    "callbacks": {"record", "observe", "recorder"},
    "isolation": {"record", "observe"},
    "edits": {"record"},
    "probes": {"record", "observe", "isolation", "edits"},
    "signs": {"record"},
    "causes": {"record", "signs", "edits"},
    "conditions": {"record", "signs"},
    "facts": {"record", "signs"},
    "diagnosis": {"record", "signs", "causes", "conditions", "facts"},
    "history": {"record", "observe", "signs", "diagnosis"},
    "comparison": {"record", "readers", "signs", "conditions", "diagnosis"},
    "treatments": {"record", "observe", "probes", "signs", "causes", "edits", "diagnosis"},
    "reports": {"record", "signs", "causes", "conditions", "diagnosis", "comparison", "facts"},
    "consult": {
        "record",
        "readers",
        "signs",
        "causes",
        "conditions",
        "facts",
        "diagnosis",
        "comparison",
        "reports",
        "edits",
        "zoo",
    },
    "zoo": {"record", "observe", "signs", "diagnosis"},
}
# Looks downstream that people need: in a notebook a Run can be asked for its diagnosis, and a diagnosis printed.
ALLOWED = {
    ("record/run.py", "diagnosis"),
    ("record/reading.py", "readers"),  # what a script logs by its own names has the meaning that logs have
    ("recorder/recording.py", "diagnosis"),
    ("observe/watch.py", "diagnosis"),
    ("diagnosis/types.py", "reports"),
    ("diagnosis/checks/types.py", "reports"),
}


def imports(path: Path) -> set[tuple[str, ...]]:
    """The modules of the package that a file imports, as parts below the package; names imported count as parts."""
    here = ("traindx", *path.relative_to(ROOT).with_suffix("").parts)
    package = here[:-1]
    found: set[tuple[str, ...]] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            found |= {(*module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
    return {parts[1:] for parts in found if parts[0] == "traindx" and len(parts) > 1}


def crossings() -> list[tuple[str, str, tuple[str, ...]]]:
    """(file, room it lies in, import) of every import of another room."""
    rooms = {folder.name for folder in ROOT.iterdir() if folder.is_dir()}
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT)
        if len(where.parts) < 2 or where.parts[:2] == ("zoo", "hosts"):
            continue
        for parts in imports(path):
            if parts[0] in rooms and parts[0] != where.parts[0]:
                found.append((where.as_posix(), where.parts[0], parts))
    return found


def test_data_moves_one_way():
    wrong = [
        f"{file} imports {'.'.join(parts)}"
        for file, room, parts in crossings()
        if room in MAY_IMPORT and parts[0] not in MAY_IMPORT[room] and (file, parts[0]) not in ALLOWED
    ]
    assert wrong == []


def test_no_room_uses_what_is_private_to_another():
    private = [
        f"{file} imports {'.'.join(parts)}"
        for file, room, parts in crossings()
        if any(part.startswith("_") and not part.startswith("__") for part in parts)
    ]
    assert private == []


def test_every_room_stands_in_the_table():
    rooms = {f.name for f in ROOT.iterdir() if (f / "__init__.py").exists()}
    assert rooms - {"commands"} <= set(MAY_IMPORT)
