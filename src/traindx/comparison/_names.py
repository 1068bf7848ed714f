"""Finds settings in the names of files and folders, such as `sgd_lr0.1_bs32/seed=3/metrics.csv`."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePath

from ._values import canonical, is_number, plain_value
from .types import Value

DEEPEST = 4  # last parts of a path that may hold settings of the run
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
    return [*path.parts[-DEEPEST:-1], _TENSORBOARD.sub("", path.name).removesuffix(ending)]


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
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        unique.append(f"{name} #{counts[name]}" if names.count(name) > 1 else name)
    return unique
