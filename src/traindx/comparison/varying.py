"""Finds which settings differ between runs, which are only labels, and which always change together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._names import words_in_name
from ._values import is_number
from .types import Outcome, Value

_SEED = re.compile(r"(^|[._ ])(seed|random_state|fold|repeat|replicate)s?\d*($|[._ ])", re.I)
# Words in the names of settings that are paths or labels and do not influence the training.
_LABEL = re.compile(
    r"(^|[._ /])(name|id|uuid|dir|path|folder|file|filename|time|date|timestamp|host|hostname|port|notes?|tags?|output|"
    r"logdir|logging|save|saving|resume|checkpoint|project|wandb|device|gpu|cuda|rank|version|workers)($|[._ /])",
    re.I,
)


@dataclass(frozen=True)
class Setting:
    """The values of one setting in all runs; None if a run does not give it."""

    name: str
    values: tuple[Value | None, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """The values as numbers in order of appearance. They are equal for settings that split the runs alike."""
        seen: dict[tuple[type, Value | None], int] = {}
        return tuple(seen.setdefault((bool if isinstance(v, bool) else object, v), len(seen)) for v in self.values)

    @property
    def signature(self) -> tuple[int, ...]:
        """Equal for settings that these runs cannot distinguish.

        Numbers that are different in nearly every run (a random search) always split the runs alike. Two such
        settings have the same signature only if they also rise together, or one falls as the other rises.
        """
        if not self.numeric or self.distinct <= max(3, len(self.values) / 2):
            return self.codes
        order = sorted(set(self.values), key=float)  # type: ignore[arg-type]
        ranks = tuple(order.index(value) for value in self.values)
        return ranks if ranks[0] <= ranks[-1] else tuple(len(order) - 1 - rank for rank in ranks)

    @property
    def given(self) -> set[Value]:
        return {value for value in self.values if value is not None}

    @property
    def distinct(self) -> int:
        return max(self.codes, default=-1) + 1

    @property
    def numeric(self) -> bool:
        return all(is_number(value) for value in self.values)

    @property
    def is_seed(self) -> bool:
        return bool(_SEED.search(self.name))


def settings_that_differ(outcomes: Sequence[Outcome]) -> list[Setting]:
    """Return all settings that differ and may matter, including seeds.

    Settings in file names count only if no recorded setting splits the runs alike.
    """
    recorded = {name for outcome in outcomes for name in outcome.settings}
    found = _differing(outcomes, [{**outcome.named, **outcome.settings} for outcome in outcomes])
    known = {setting.signature for setting in found if setting.name in recorded}
    # A word with only one value (`Group7` in one name) is part of the name and not a setting.
    found = [s for s in found if s.name in recorded or (s.signature not in known and len(s.given) > 1)]
    known |= {setting.signature for setting in found}
    return [*found, *(setting for setting in _words_of_names(outcomes) if setting.signature not in known)]


def _differing(outcomes: Sequence[Outcome], tables: list[dict[str, Value]]) -> list[Setting]:
    names = dict.fromkeys(name for table in tables for name in table)
    settings = [Setting(name, tuple(table.get(name) for table in tables)) for name in names]
    return [
        setting
        for setting in settings
        if setting.distinct > 1 and not _is_label(setting, len(outcomes)) and not _is_unknown(setting, outcomes)
    ]


def _is_unknown(setting: Setting, outcomes: Sequence[Outcome]) -> bool:
    """Return whether runs without this setting give few settings at all, so that they may have had the same value.

    If a run with a full configuration lacks a setting that others have, its absence is a difference.
    """
    if len(setting.given) > 1:
        return False
    having = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is not None]
    lacking = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is None]
    return bool(lacking) and 2 * max(lacking) < min(having, default=0)


def _is_label(setting: Setting, runs: int) -> bool:
    """Return whether the setting only labels runs: by its name, or because it is a text that differs in most runs."""
    if setting.is_seed:
        return False
    many_texts = not setting.numeric and runs > 3 and setting.distinct > runs / 2
    return many_texts or bool(_LABEL.search(setting.name))


def _words_of_names(outcomes: Sequence[Outcome]) -> list[Setting]:
    """Return settings from words at the same position in names of one pattern, such as `sgd_a` and `adam_a`."""
    words = [words_in_name(outcome.source) for outcome in outcomes]
    if len({len(parts) for parts in words}) != 1 or len(outcomes) < 4:
        return []
    columns = [column for column in zip(*words, strict=True) if all(word.isalpha() for word in column)]
    found = [Setting("/".join(sorted(set(column))[:3]), column) for column in columns]
    return [setting for setting in found if 1 < setting.distinct <= len(outcomes) / 2]


def bundles(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Group the settings that split the runs alike, because these runs cannot distinguish them."""
    found: dict[tuple[int, ...], list[Setting]] = {}
    for setting in settings:
        if not setting.is_seed:
            found.setdefault(setting.signature, []).append(setting)
    # A numeric setting comes first, because the test can use the order of its values.
    return [sorted(bundle, key=lambda setting: not setting.numeric) for bundle in found.values()]


def repeats(settings: Sequence[Setting], runs: int) -> list[list[int]]:
    """Group the runs with equal settings (apart from seeds), by their indices."""
    groups: dict[tuple[int, ...], list[int]] = {}
    codes = [setting.codes for setting in settings if not setting.is_seed]
    for run in range(runs):
        groups.setdefault(tuple(code[run] for code in codes), []).append(run)
    return list(groups.values())
