"""Finds the hyperparameters of a run: in its record or log, in files beside it, in its command line and its name.

Names and values are normalised, so that equal settings from different sources compare as equal. Of YAML only plain
`key: value` is read, because the tools that write such files write no other and a YAML library would be one more
dependency. Other values are left out.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from ..readers.meaning.names import role_of
from ..record import Run
from .types import Value

LONGEST = 60
DEEPEST = 4
MOST = 400  # entries of a configuration; further ones are left out
# Different tools have different names for a setting. One name makes their runs comparable.
ALIASES = {
    "learning_rate": "lr", "learningrate": "lr", "lr0": "lr", "base_lr": "lr",
    "bs": "batch_size", "batch": "batch_size", "batchsize": "batch_size", "train_batch_size": "batch_size",
    "per_device_train_batch_size": "batch_size",
    "wd": "weight_decay", "weightdecay": "weight_decay", "optim": "optimizer", "opt": "optimizer", "act": "activation",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


def canonical(name: str) -> str:
    """Return the common name of a setting.

    >>> canonical("--learning-rate")
    'lr'
    """
    plain = name.strip().strip("-").replace("-", "_").replace(" ", "_")
    return ALIASES.get(plain.lower(), plain)


def plain_value(value: Any) -> Value | None:
    """Return a value that can be compared and shown; None if it is empty or too long for a setting."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        value = ", ".join(str(plain_value(item)) for item in value[:9])
    text = str(value).strip().strip("'\"")
    if _NUMBER.match(text):
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 1e15 and not re.search(r"[.eE]", text) else number
    words: dict[str, Value | None] = {"true": True, "false": False, "none": None, "null": None, "": None, "~": None}
    if text.lower() in words:
        return words[text.lower()]
    return text if len(text) <= LONGEST else None


def flat(config: Mapping[Any, Any]) -> dict[str, Value]:
    """Flatten a nested configuration to settings with dotted names."""
    found: dict[str, Value] = {}
    for name, value in _leaves(config, DEEPEST):
        plain = plain_value(value)
        if plain is not None and len(found) < MOST:
            found.setdefault(canonical(name), plain)
    return found


def _leaves(config: Mapping[Any, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if not isinstance(value, Mapping):
            yield str(key), value
        elif set(value) <= {"desc", "value"} and "value" in value:  # as W&B writes its config.yaml
            yield str(key), value["value"]
        elif depth:
            for inner, leaf in _leaves(value, depth - 1):
                yield f"{key}.{inner}", leaf


def is_number(value: Value | None) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shown(value: Value | None) -> str:
    """Format a value for a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


DEEPEST_PATH = 4  # last parts of a path that may hold settings of the run
_SEPARATOR = re.compile(r"[_,;/\\ ]+|-(?=[A-Za-z])")
# A name before a number: lr=0.1, lr-1e-3, bs32
_PAIR = re.compile(r"([A-Za-z]{2,})[=-]?([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$")
_ASSIGNED = re.compile(r"(?:^|[,;&/ ])([A-Za-z][\w.-]*)=([^,;&/ ]+?)(?=[,;&/ ]|_[A-Za-z]|$)")
# Words before counters that tools put into names. Such a counter numbers runs and is not a setting.
_COUNTERS = {
    "version", "run", "exp", "experiment", "trial", "attempt", "try", "job", "task", "id", "checkpoint", "events",
    "epoch", "step", "part", "model", "net", "test", "train", "log", "metrics", "loss", "history", "results", "output",
}  # fmt: skip
_TENSORBOARD = re.compile(r"events\.out\.tfevents\..*")


def settings_in_name(source: str) -> dict[str, Value]:
    """Return the pairs of name and value in the last parts of a path.

    >>> settings_in_name("runs/adam_lr1e-3_bs32/seed=3/metrics.csv")
    {'lr': 0.001, 'batch_size': 32, 'seed': 3}
    """
    found: dict[str, Value] = {}
    for part in _parts(source):
        words = [word for word in _SEPARATOR.split(_ASSIGNED.sub(" ", part)) if word]
        pairs = [*_ASSIGNED.findall(part), *(match.groups() for word in words if (match := _PAIR.match(word)))]
        pairs += [pair for pair in pairwise(words) if pair[0].isalpha() and is_number(plain_value(pair[1]))]
        for name, text in pairs:
            value, key = plain_value(text), canonical(name)
            if value is not None and key.lower() not in _COUNTERS:
                found.setdefault(key, value)
    return found


def words_in_name(source: str) -> list[str]:
    """Return the words of a path, to compare names of the same pattern word by word."""
    return [word for part in _parts(source) for word in _SEPARATOR.split(part)]


def _parts(source: str) -> list[str]:
    path = PurePath(source)
    ending = path.suffix if path.suffix[1:].isalpha() else ""
    return [*path.parts[-DEEPEST_PATH:-1], _TENSORBOARD.sub("", path.name).removesuffix(ending)]


def short_names(sources: list[str]) -> list[str]:
    """Shorten the paths to the parts that differ: without common folders and file endings, numbered if equal."""
    parts = [PurePath(source).parts for source in sources]
    if len(set(parts)) > 1:
        start = next(i for i in range(10_000) if len({p[: i + 1] for p in parts}) > 1)
        end = next(i for i in range(10_000) if len({p[-i - 1 :] for p in parts}) > 1)
        kept = [p[start : len(p) - end] or p[-1:] for p in parts]
    else:
        kept = [p[-1:] for p in parts]
    names = [PurePath(*k).as_posix() for k in kept]
    suffixes = {PurePath(name).suffix for name in names}
    if len(suffixes) == 1 and (ending := suffixes.pop())[1:].isalpha():
        names = [name.removesuffix(ending) for name in names]
    all_counts, counts = Counter(names), Counter[str]()
    unique = []
    for name in names:
        counts[name] += 1
        unique.append(f"{name} #{counts[name]}" if all_counts[name] > 1 else name)
    return unique


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


# Entries of a configuration that are results or progress, not settings.
RESULTS = {
    "best_metric", "best_model_checkpoint", "global_step", "epoch", "total_flos", "step", "runtime", "duration",
    "timestamp", "_wandb", "status", "loss", "accuracy",
}  # fmt: skip
_BOOKKEEPING = {"tensors", "elements", "maximize", "params"}


def settings_of(run: Run) -> dict[str, Value]:
    """Return the hyperparameters: as observed, else as configured, else from the command line."""
    found: dict[str, Value] = {}
    for source in (_observed(run), _configured(run), _arguments(run)):
        for name, value in source.items():
            found.setdefault(name, value)
    if "lr" not in found and (rates := run.series("lr").finite):
        found["lr"] = float(np.float32(rates.values.max()))  # float32, because logs print few digits
    return found


def named_settings(run: Run) -> dict[str, Value]:
    return settings_in_name(run.source)


def _observed(run: Run) -> dict[str, Value]:
    found: dict[str, Any] = {}
    for optimizer in run.optimizers:
        prefix = f"optimizer{optimizer.index}." if optimizer.index else ""
        found[f"{prefix}optimizer"] = optimizer.class_name or None
        settings = optimizer.groups[0].settings if optimizer.groups else {}
        found |= {f"{prefix}{key}": value for key, value in settings.items() if key not in _BOOKKEEPING}
    for scheduler in run.schedulers:
        found.setdefault("scheduler", scheduler.class_name or None)
    for loader in run.training_loaders:
        found.setdefault("batch_size", loader.batch_size)
        found.setdefault("shuffled", loader.shuffled)
        found.setdefault("training samples", loader.size)
    for model in run.models:
        found.setdefault("model", model.class_name or None)
        found.setdefault("parameters", model.elements)
    for call in run.training_losses:
        found.setdefault("loss function", call.fn)
    found["autocast"] = run.precision.autocast or None
    if thresholds := run.series("clip/threshold").finite:
        found["clipping"] = float(np.median(thresholds.values))
    if script := run.script:
        found["script"] = PurePath(script.path).name
    plain = {name: plain_value(value) for name, value in found.items()}
    return {name: value for name, value in plain.items() if value is not None}


def _configured(run: Run) -> dict[str, Value]:
    if not (log := run.log):
        return {}
    path = Path(run.source)
    config = {**settings_beside(path), **flat(log.config)}
    if not config and run.kind == "text":
        config = printed_arguments(path)
    return {name: value for name, value in config.items() if not _is_result(name, value)}


def _is_result(name: str, value: Value) -> bool:
    """Return whether this is a result, such as a final loss. The name of a loss function is a setting."""
    return name.lower() in RESULTS or (is_number(value) and role_of(name).kind in ("loss", "accuracy", "perplexity"))


def _arguments(run: Run) -> dict[str, Value]:
    """Return the settings in the script's command line: `--lr 0.1`, `--lr=0.1`, `lr=0.1`, `--flag`."""
    words = run.script.argv
    found: dict[str, Value] = {}
    place = 0
    while place < len(words):
        word, following = words[place], words[place + 1] if place + 1 < len(words) else None
        place += 1
        name, equals, value = word.partition("=")
        if equals and name:
            taken: Any = value
        elif word.startswith("-") and plain_value(word) == word:
            taken = True
            if following is not None and not (following.startswith("-") and plain_value(following) == following):
                taken, place = following, place + 1
        else:
            name, taken = f"argument {place}", word
        plain = plain_value(taken)
        if plain is not None:
            found.setdefault(canonical(name), plain)
    return found
