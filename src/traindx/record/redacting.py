"""Removes from a run what its owner may not want to share: values of arguments, paths, messages, source code.

It keeps what a diagnosis needs: numbers, the names of layers, parameters and classes, and the base name of the file and
the line number of source lines.
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Callable, Mapping
from typing import Any

from .run import Run, RunBuilder
from .vocabulary import MASK

# Fields with free text, and fields with names, in which a slash does not mean a folder.
_FREE_TEXT = ("message", "reason", "detail", "why_not", "notes", "config", "hostname", "host", "user")
_NAMES = ("name", "module", "param", "shared", "columns", "type", "class", "fn", "op", "train_off")
# What is known of a distributed job, apart from where it runs.
_OF_THE_JOB = (
    "rank", "world_size", "backend", "group", "wrapper", "through", "past", "past_site", "averaged", "weights_averaged",
)  # fmt: skip
_FOLDERS = re.compile(r"(?<![\w.*])(?:~|[A-Za-z]:)?[/\\][^\s'\",;:()<>]+")
_PATH = re.compile(r"(?:~|[A-Za-z]:)?[\w.\-]*[/\\][^\s'\",;:()<>]+")
_ADDRESS = re.compile(r"\S+@\S+|\b\w+://\S+")


def redacted(run: Run, *, keep_source: bool = False) -> Run:
    """Return the run without private data. Its curves, tables and steps are the same."""
    builder = RunBuilder(base_name(run.source), run.kind).measurements_of(run)
    for key, value in run.facts.items():
        builder.fact(key, _fact(key, value, keep_source))
    for event in run.events:
        builder.event(event.kind, event.step, **_inside(event.data, keep_source))
    return builder.build()


def base_name(path: str) -> str:
    """Return the last part of a path of any operating system; "" for a drive or a root folder alone."""
    return ntpath.basename(path.replace("/", "\\").rstrip("\\"))


def _fact(key: str, value: Any, keep_source: bool) -> Any:
    if key == "script" and isinstance(value, Mapping):
        argv = value.get("argv")
        words = [_argument(word) for word in argv] if isinstance(argv, list) else []
        return {"path": base_name(str(value.get("path") or "")), "argv": words, "module": value.get("module") is True}
    if key == "platform":
        return str(value).split("-")[0].split(" ")[0]  # the name of the system; the rest may contain the host name
    if key == "observers_off" and isinstance(value, Mapping):
        return dict.fromkeys(value, MASK)
    if key == "distributed" and isinstance(value, Mapping):
        return {name: _field(name, value[name], keep_source) for name in _OF_THE_JOB if name in value}
    return _inside(value, keep_source)


def _argument(word: Any) -> str:
    """Return the name of an option without its value."""
    if not isinstance(word, str) or not re.match(r"--?[A-Za-z]", word):
        return MASK
    name, equals, _ = word.partition("=")
    return f"{name}={MASK}" if equals else name


def _inside(value: Any, keep_source: bool) -> Any:
    """Return the value with all sites, paths and free text in it redacted."""
    if isinstance(value, Mapping):
        if "file" in value and "line" in value:
            return _site(value, keep_source)
        return {_text(name, _FOLDERS): _field(name, part, keep_source) for name, part in value.items()}
    if isinstance(value, list):
        return [_inside(part, keep_source) for part in value]
    return _text(value, _PATH) if isinstance(value, str) else value


def _field(name: str, value: Any, keep_source: bool) -> Any:
    if name in _FREE_TEXT:
        return _replaced(value, lambda _: MASK)
    if name in _NAMES:
        return _replaced(value, lambda text: _text(text, _FOLDERS))
    return _inside(value, keep_source)


def _site(site: Mapping[str, Any], keep_source: bool) -> dict[str, Any]:
    kept: dict[str, Any] = {
        "file": base_name(str(site["file"])),
        "line": site["line"],
        "function": site.get("function"),
    }
    return {**kept, "text": str(site.get("text") or "") if keep_source else ""}


def _replaced(value: Any, new: Callable[[str], str]) -> Any:
    """Return the value with every text in it replaced; numbers and structure stay the same."""
    if isinstance(value, Mapping):
        return {name: _replaced(part, new) for name, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, new) for part in value]
    return new(value) if isinstance(value, str) and value else value


def _text(text: str, path: re.Pattern[str]) -> str:
    """Return the text without addresses, and with paths cut to their last part."""
    return path.sub(lambda found: base_name(found.group()), _ADDRESS.sub(MASK, text))
