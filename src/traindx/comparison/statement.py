"""The comparison in plain sentences: which setting explains the difference, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import pstdev

from .types import Effect, Entry, Noise

CERTAIN, LIKELY, POSSIBLE = 0.01, 0.05, 0.2


def statement_of(entries: Sequence[Entry], effects: Sequence[Effect], noise: Noise | None, metric: str) -> list[str]:
    """What to tell first; `entries` are best first."""
    if len(entries) < 2:
        return ["There is one run only: nothing to compare."]
    sentences = [_extent(entries, metric)]
    if not effects:
        return [*sentences, _nothing_differs(noise)]
    if len(entries) < 4 and all(effect.chance is None for effect in effects):
        return [*sentences, _too_few(entries, effects)]
    leading = [effect for effect in effects if effect.chance is not None and effect.chance < POSSIBLE]
    if not leading:
        return [*sentences, *_no_effect(entries, effects, noise)]
    sentences += _leading(leading[0], noise, len(entries))
    further = [effect for effect in leading[1:] if effect.chance is not None and effect.chance < LIKELY]
    further = [effect for effect in further if effect.settings != leading[0].rival]
    if further:
        sentences.append("Also connected with the result: " + "; ".join(_brief(effect) for effect in further[:3]) + ".")
    idle = [" and ".join(effect.settings) for effect in effects if effect not in leading]
    if idle:
        shown = ", ".join(idle[:6]) + (f" and {len(idle) - 6} more" if len(idle) > 6 else "")
        sentences.append(f"No effect could be shown for {shown}.")
    return sentences


def number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _extent(entries: Sequence[Entry], metric: str) -> str:
    best, worst = entries[0], entries[-1]
    broken = sum(math.isinf(entry.score) for entry in entries)
    if math.isinf(best.score):
        return f"No run ended with a finite {metric}."
    if broken:
        ended = f"{broken} of {len(entries)} runs ended broken (NaN or infinite)"
        return f"The best run is {best.name} ({metric} {number(best.value)}); {ended}."
    span = f"{number(best.value)} to {number(worst.value)}"
    return f"The best run is {best.name}. By {metric} the {len(entries)} runs go from {span}."


def _nothing_differs(noise: Noise | None) -> str:
    told = "No setting that the logs hold differs between these runs"
    if noise:
        return f"{told}: what lies between them is the noise of repeats ({_spread(noise)}), or something not logged."
    return f"{told}: the difference is noise, or something that was not logged."


def _too_few(entries: Sequence[Entry], effects: Sequence[Effect]) -> str:
    count = len(entries)
    names = [name for effect in effects for name in effect.settings]
    if len(names) == 1:
        return (
            f"Only {names[0]} differs, and {_order(effects[0])}. Whether {names[0]} is the reason cannot be said with "
            f"{count} runs: without repeats nobody knows how far equal runs lie apart. Repeat each with two more seeds."
        )
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return (
        f"They differ in {len(names)} settings ({listed}). Which of them explains the difference cannot be said with "
        f"{count} runs; change one at a time, and repeat each with another seed."
    )


def _no_effect(entries: Sequence[Entry], effects: Sequence[Effect], noise: Noise | None) -> list[str]:
    names = ", ".join(" and ".join(effect.settings) for effect in effects[:6])
    values = [entry.value for entry in entries if entry.value is not None]
    if noise and len(values) == len(entries) and pstdev(values) < 2 * noise.spread:
        return [f"No setting explains the difference ({names}): it is within the noise of repeats ({_spread(noise)})."]
    count = len(entries)
    tests = [effect for effect in effects if effect.chance is not None]
    if tests and count < 8:
        best = tests[0]
        return [
            f"No setting can be shown to matter with {count} runs. {' and '.join(best.settings)} goes best with "
            f"the result ({_order(best)}), but chance does as well in {_share(best.chance)} of cases."
        ]
    return [f"No setting explains the difference: none of {names} goes with the result more than chance would."]


def _leading(effect: Effect, noise: Noise | None, count: int) -> list[str]:
    names = " and ".join(effect.settings)
    chance = effect.chance or 0.0
    sure = "almost certainly" if chance < CERTAIN else "probably" if chance < LIKELY else "possibly"
    verb = "explain" if len(effect.settings) > 1 else "explains"
    sentences = [
        f"{names} {sure} {verb} the difference: {_order(effect)}. It accounts for {effect.share:.0%} of the "
        f"ranking, and chance alone would do as well in {_share(effect.chance)} of cases ({count} runs)."
    ]
    if len(effect.settings) > 1:
        sentences.append(f"These settings always changed together, so which of them matters cannot be told: {names}.")
    if effect.rival:
        rival = " and ".join(effect.rival)
        sentences.append(
            f"{rival} changed along with it and goes with the result as well: the two are confounded. Vary one "
            "while the other stays."
        )
    if noise:
        sentences.append(f"Noise: {_spread(noise)}.")
    else:
        sentences.append("There are no repeats with equal settings, so the noise between equal runs is not known.")
    return sentences


def _order(effect: Effect) -> str:
    """The values from best to worst with their middle results."""
    levels = list(effect.levels)
    chosen = levels if len(levels) <= 4 else [*levels[:2], levels[-1]]
    told = [f"{label} {'ends broken' if math.isinf(value) else 'gives ' + number(value)}" for label, _, value in chosen]
    if len(levels) > 4:
        told.insert(2, "…")
    return ", ".join(told)


def _brief(effect: Effect) -> str:
    label = effect.levels[0][0] if effect.levels else ""
    return f"{' and '.join(effect.settings)} (best {label}; chance {_share(effect.chance)})"


def _spread(noise: Noise) -> str:
    groups = f" in {noise.groups} groups" if noise.groups > 1 else ""
    return f"{noise.runs} runs with equal settings{groups} differ by ±{number(noise.spread)}"


def _share(chance: float | None) -> str:
    if chance is None:
        return "an unknown share"
    return "less than 0.1 %" if chance < 0.001 else f"{100 * chance:.2g} %"
