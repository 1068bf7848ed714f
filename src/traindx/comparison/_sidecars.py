"""Reads configurations that tools write beside their logs: hparams.yaml, args.yaml, config.json, .hydra/config.yaml …

Only plain `key: value` YAML is read, because these tools write no other and a YAML library would be one more
dependency. Other values are left out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ._values import flat
from .types import Value

NAMES = ("hparams", "hyperparams", "hyperparameters", "args", "opt", "options", "config", "params", "training_args")
PLACES = (".", "..", ".hydra", "files")  # W&B keeps its configuration in files/
LARGEST = 1 << 18  # bytes; a larger file is not a configuration
_LINE = re.compile(r"^( *)([A-Za-z_][\w.\-/ ]*):(?:\s+(.*))?$")
_COMMENT = re.compile(r"\s+#.*$")
_NAMESPACE = re.compile(r"\b(?:Namespace|TrainingArguments|Config)\((.*)\)")
_ARGUMENT = re.compile(r"(\w+)=('[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|[^,()]+)")


def settings_beside(log: Path) -> dict[str, Value]:
    """Return the settings of the nearest configuration file. If several runs share it, they do not differ in these."""
    folder = log if log.is_dir() else log.parent
    for place in PLACES:
        for name in NAMES:
            for suffix in (".yaml", ".yml", ".json"):
                path = folder / place / (name + suffix)
                if path != log and (found := read_config(path)):
                    return found
    return {}


def is_config(path: Path) -> bool:
    """Return whether the file is a configuration and not a log."""
    return path.stem in NAMES and bool(read_config(path))


def read_config(path: Path) -> dict[str, Value]:
    """Return the settings in a configuration file; none if it is absent, too large, or not a configuration."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return {}
        text = path.read_text(encoding="utf-8", errors="replace")
        document = json.loads(text) if path.suffix == ".json" else _yaml(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return flat(document) if isinstance(document, dict) else {}


def printed_arguments(log: Path) -> dict[str, Value]:
    """Return the settings in `Namespace(lr=0.1, …)`, which many scripts print at their start."""
    try:
        with log.open("rb") as file:
            head = file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return {}
    found = _NAMESPACE.search(head)
    return flat(dict(_ARGUMENT.findall(found.group(1)))) if found else {}


def _yaml(text: str) -> dict[str, Any]:
    """Read nested mappings by their indentation."""
    document: dict[str, Any] = {}
    open_maps: list[tuple[int, dict[str, Any]]] = [(-1, document)]
    for line in text.splitlines():
        found = _LINE.match(line)
        if not found:
            continue
        indent, key, value = len(found.group(1)), found.group(2), _COMMENT.sub("", found.group(3) or "")
        while open_maps[-1][0] >= indent:
            open_maps.pop()
        parent = open_maps[-1][1]
        if value and not value.startswith(("|", ">", "&", "!")):
            parent[key] = value.strip("[]") if value.startswith("[") else value
        else:
            inner: dict[str, Any] = {}
            parent[key] = inner
            open_maps.append((indent, inner))
    return document
