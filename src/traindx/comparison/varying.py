"""Which settings differ between runs, which only tell runs apart, and which always change together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._names import words_in_name
from ._values import is_number
from .types import Outcome, Value

_SEED = re.compile(r"(^|[._ ])(seed|random_state|fold|repeat|replicate)s?\d*($|[._ ])", re.I)
# Words in the names of settings that say where things lie or what they are called, not how the training goes.
_LABEL = re.compile(
    r"(^|[._ /])(name|id|uuid|dir|path|folder|file|filename|time|date|timestamp|host|hostname|port|notes?|tags?|output|"
    r"logdir|logging|save|saving|resume|checkpoint|project|wandb|device|gpu|cuda|rank|version|workers)($|[._ /])",
    re.I,
)


@dataclass(frozen=True)
class Setting:
    """One setting over all runs; None where a run does not tell."""

    name: str
    values: tuple[Value | None, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """The runs' values as numbers in order of appearance: equal for settings that split the runs alike."""
        seen: dict[tuple[type, Value | None], int] = {}
        return tuple(seen.setdefault((bool if isinstance(v, bool) else object, v), len(seen)) for v in self.values)

    @property
    def signature(self) -> tuple[int, ...]:
        """Equal for settings that nothing in these runs can tell apart.

        Numbers that are new in nearly every run (a random search) split the runs alike whatever they are; they are
        the same only when they also rise, or fall, together.
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
    """All settings that differ and may matter, seeds included. File names count only where nothing else tells."""
    told = {name for outcome in outcomes for name in outcome.settings}
    found = _differing(outcomes, [{**outcome.named, **outcome.settings} for outcome in outcomes])
    known = {setting.signature for setting in found if setting.name in told}
    # A word with a number in one name alone (`Group7`) is part of the name.
    found = [s for s in found if s.name in told or (s.signature not in known and len(s.given) > 1)]
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
    """Some runs give one value and the others give hardly any settings: they may well have had the same value.

    A flag that a run with a full configuration leaves out is different: there its absence says something.
    """
    if len(setting.given) > 1:
        return False
    told = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is not None]
    silent = [len(o.settings) for o, value in zip(outcomes, setting.values, strict=True) if value is None]
    return bool(silent) and 2 * max(silent) < min(told, default=0)


def _is_label(setting: Setting, runs: int) -> bool:
    """A text that differs in most runs is a name of the run, not a setting."""
    if setting.is_seed:
        return False
    many_texts = not setting.numeric and runs > 3 and setting.distinct > runs / 2
    return many_texts or bool(_LABEL.search(setting.name))


def _words_of_names(outcomes: Sequence[Outcome]) -> list[Setting]:
    """Words at the same place in names that are built alike: `sgd_a`, `adam_a` differ in their first word."""
    words = [words_in_name(outcome.source) for outcome in outcomes]
    if len({len(parts) for parts in words}) != 1 or len(outcomes) < 4:
        return []
    columns = [column for column in zip(*words, strict=True) if all(word.isalpha() for word in column)]
    found = [Setting("/".join(sorted(set(column))[:3]), column) for column in columns]
    return [setting for setting in found if 1 < setting.distinct <= len(outcomes) / 2]


def bundles(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Settings that split the runs alike, together: nothing in these runs can tell them apart."""
    found: dict[tuple[int, ...], list[Setting]] = {}
    for setting in settings:
        if not setting.is_seed:
            found.setdefault(setting.signature, []).append(setting)
    # A numeric one leads: it has an order, and the test can use it.
    return [sorted(bundle, key=lambda setting: not setting.numeric) for bundle in found.values()]


def repeats(settings: Sequence[Setting], runs: int) -> list[list[int]]:
    """Runs with equal settings (seeds apart), by their places."""
    groups: dict[tuple[int, ...], list[int]] = {}
    codes = [setting.codes for setting in settings if not setting.is_seed]
    for run in range(runs):
        groups.setdefault(tuple(code[run] for code in codes), []).append(run)
    return list(groups.values())
