"""The user's project: the script that a run names, and the modules that it imports from its folder."""

from __future__ import annotations

import ast
import os
from collections import deque
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ..record import Run
from ..record.site import Site
from ..source_text import LARGEST, LONGEST_LINE
from .source import Source, callee

_LIBRARIES = {"site-packages", "dist-packages", ".venv", "venv", "node_modules"}
_MOST_SOURCES = 60
_LEVELS = 3  # folders above a file that are looked at


class Project:
    """The source files below the script's folder, without those that have changed since the run."""

    def __init__(self, script: Path, argv: list[str], sites: list[Site], base: Path | None = None) -> None:
        self.script = script
        self.root = script.parent
        self.base = base or script.parent  # the folder that relative paths in the record start from
        self.argv = argv
        self._sites = sites
        self._unchanged: dict[Source, bool] = {}

    @classmethod
    def of(cls, run: Run) -> Project | None:
        """Return the project of an observed run; None for logs, and if the script is missing or has changed."""
        projects = [made for made in cls._candidates(run) if made.source(str(made.script)) is not None]
        # Where the command named the script by its full path, any folder has the script: the record's lines decide.
        return max(projects, key=lambda made: sum(map(bool, map(made.source, made._files))), default=None)

    @cached_property
    def _files(self) -> set[str]:
        return {site.file for site in self._sites}

    @classmethod
    def without_sources(cls) -> Project:
        return cls(Path(os.devnull, "none.py"), [], [])

    @classmethod
    def changed_of(cls, run: Run) -> list[Path]:
        """Return the files that the run names and that have changed since, for the first folder with such files."""
        for project in cls._candidates(run):
            if _read(project.script) is not None:
                _ = project.sources
                if changed := [source.path for source, same in project._unchanged.items() if not same]:
                    return changed
        return []

    @classmethod
    def _candidates(cls, run: Run) -> Iterator[Project]:
        """Yield the project for each folder that the script may have been started from."""
        if not run.script.path:
            return
        sites = list(_sites(dict(run.facts))) + [site for event in run.events for site in _sites(event.data)]
        path = _absolute(Path(run.script.path), sites)
        yield from (cls(base / path, list(run.script.argv), sites, base) for base in _bases(run, path))

    def source(self, file: str) -> Source | None:
        """Return the parsed file; None if it is outside the project, in a library, or has changed since the run."""
        path = self.base / file
        if not path.is_relative_to(self.root):
            return None
        if _LIBRARIES & set(path.relative_to(self.root).parts):
            return None
        source = _read(path)
        return source if source is not None and self._as_run(source) else None

    def _as_run(self, source: Source) -> bool:
        if source not in self._unchanged:
            self._unchanged[source] = all(
                source.line(line).strip()[:LONGEST_LINE].rstrip() == text
                for line, text in self._recorded.get(source.path, ())
            )
        return self._unchanged[source]

    @cached_property
    def _recorded(self) -> dict[Path, set[tuple[int, str]]]:
        """The lines of each file that the run has recorded: their numbers, and how they begin."""
        found: dict[Path, set[tuple[int, str]]] = {}
        for site in self._sites:
            if site.text:
                begins = site.text.splitlines()[0].strip()[:LONGEST_LINE].rstrip()
                found.setdefault(self.base / site.file, set()).add((site.line, begins))
        return found

    @cached_property
    def sources(self) -> list[Source]:
        """The script, the files that the run names, and the files of the project that these import."""
        waiting = deque([str(self.script), *(str(self.base / site.file) for site in self._sites)])
        found: dict[str, Source] = {}
        seen: set[str] = set()
        while waiting and len(found) < _MOST_SOURCES and sum(len(source.text) for source in found.values()) < LARGEST:
            file = waiting.popleft()
            if file in seen:
                continue
            seen.add(file)
            source = self.source(file)
            if source is not None:
                found[file] = source
                waiting.extend(self._imports(source))
        return list(found.values())

    def _imports(self, source: Source) -> Iterator[str]:
        for node in source.walk(ast.Import, ast.ImportFrom):
            names: list[str] = []
            folder = self.root
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                names = [base, *(f"{base}.{alias.name}".strip(".") for alias in node.names)]
                if node.level:
                    folder = source.path.parents[min(node.level, len(source.path.parents)) - 1]
            for name in filter(None, names):
                path = folder.joinpath(*name.split("."))
                yield from (str(file) for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists())

    def statements(self, site: Site | None) -> list[tuple[Source, ast.stmt]]:
        """Return the statements on the line of a site, if the line is in the project."""
        source = self.source(site.file) if site is not None else None
        return [(source, found) for found in source.statements_at(site.line)] if source and site else []

    def calls_at(self, site: Site | None, *names: str) -> list[tuple[Source, ast.Call]]:
        """Return the calls of these names (of any name if none is given) in the statements on the line of a site."""
        return [
            (source, node)
            for source, statement in self.statements(site)
            for node in own_nodes(statement)
            if isinstance(node, ast.Call) and (not names or callee(node) in names)
        ]

    def calls(self, *names: str) -> list[tuple[Source, ast.Call]]:
        """Return every call of these names in the project's source files, in the order of the text."""
        found = []
        for source in self.sources:
            calls = [call for name in dict.fromkeys(names) for call in source.calls.get(name, ())]
            found += [(source, call) for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset))]
        return found


def _absolute(script: Path, sites: list[Site]) -> Path:
    """Return the full path of the script, from the sites if the command named it by a relative path."""
    if script.is_absolute():
        return script
    wanted = [part for part in script.parts if part not in (".", "..")]
    for site in sites:
        file = Path(site.file)
        if file.is_absolute() and list(file.parts[-len(wanted) :]) == wanted:
            return file
    return script


def _bases(run: Run, script: Path) -> Iterator[Path]:
    """Yield the folders that it may have been started from: this one, and those above the record and the script."""
    yield Path.cwd()
    yield from list(Path(run.source).resolve().parents)[:_LEVELS]
    if script.is_absolute():
        yield from list(script.parents)[:_LEVELS]


def own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of the statements in its block."""
    waiting: deque[ast.AST] = deque([statement])
    while waiting:
        node = waiting.popleft()
        yield node
        waiting.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


def _sites(value: Any) -> Iterator[Site]:
    """Yield the sites anywhere in facts or in the data of an event."""
    if isinstance(value, Mapping):
        if "line" in value and (site := Site.of(value)):
            yield site
        for part in value.values():
            yield from _sites(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            if isinstance(part, (Mapping, list, tuple)):
                yield from _sites(part)


def _read(path: Path) -> Source | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return _parsed(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=128)
def _parsed(path: Path, _changed: int, _size: int) -> Source | None:
    return Source.read(path)
