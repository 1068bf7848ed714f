"""Runs other texts in the place of what source files hold, in this process; no file is touched."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Mapping
from importlib.machinery import SourceFileLoader
from typing import Any

_texts: dict[str, bytes] = {}


def use_sources(texts: Mapping[str, str]) -> Callable[[], None]:
    """Python compiles these texts, by absolute path, under the names of the files. Returns what ends that."""
    for path, text in texts.items():
        _texts[os.path.realpath(path)] = text.encode("utf-8")
        for name in {path, os.path.realpath(path)}:
            # Without a time of change an entry is never read anew: tracebacks and sites show the text that runs.
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    get_data, path_stats = SourceFileLoader.get_data, SourceFileLoader.path_stats

    def replaced(self: Any, path: str) -> bytes:
        text = replacement(path)
        return get_data(self, path) if text is None else text

    def stats(self: Any, path: str) -> Mapping[str, Any]:
        if replacement(path) is not None:
            raise OSError("compiled from another text")  # so that no compiled file is taken or written
        return path_stats(self, path)

    SourceFileLoader.get_data = replaced  # type: ignore[method-assign]
    SourceFileLoader.path_stats = stats  # type: ignore[method-assign]

    def undo() -> None:
        SourceFileLoader.get_data, SourceFileLoader.path_stats = get_data, path_stats  # type: ignore[method-assign]
        for path in texts:
            _texts.pop(os.path.realpath(path), None)
            for name in {path, os.path.realpath(path)}:
                linecache.cache.pop(name, None)

    return undo


def replacement(path: str) -> bytes | None:
    """The text that runs in the place of this file, if any."""
    return _texts.get(os.path.realpath(path)) if _texts else None
