"""Writes the comparison in plain sentences: which setting explains the difference, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import pstdev

from ..wording import listed, num4, percent
from .types import Effect, Entry, Noise

VERY_LIKELY, LIKELY, POSSIBLE = 0.01, 0.05, 0.2  # p-values


def statement_of(entries: Sequence[Entry], effects: Sequence[Effect], noise: Noise | None, metric: str) -> list[str]:
    """Return the sentences, the most important first. `entries` are sorted, best first."""
    if len(entries) < 2:
        return ["There is only one run: nothing to compare."]
    sentences = [_extent(entries, metric)]
    if not effects:
        return [*sentences, _nothing_differs(noise)]
    if len(entries) < 4 and all(effect.p_value is None for effect in effects):
        return [*sentences, _too_few(entries, effects)]
    leading = [effect for effect in effects if effect.p_value is not None and effect.p_value < POSSIBLE]
    if not leading:
        return [*sentences, _no_effect(entries, effects, noise)]
    sentences += _leading(leading[0], noise, len(entries))
    further = [effect for effect in leading[1:] if effect.p_value is not None and effect.p_value < LIKELY]
    further = [effect for effect in further if effect.settings != leading[0].rival]
    if further:
        sentences.append("Also related to the result: " + "; ".join(_brief(effect) for effect in further[:3]) + ".")
    others = [" and ".join(effect.settings) for effect in effects if effect not in leading]
    if others:
        sentences.append(f"Not significant: {listed(others, 6)}.")
    return sentences


def number(value: float | None) -> str:
    return "-" if value is None else num4(value)


def _extent(entries: Sequence[Entry], metric: str) -> str:
    best, worst = entries[0], entries[-1]
    failed = sum(math.isinf(entry.score) for entry in entries)
    if math.isinf(best.score):
        return f"No run ended with a finite {metric}."
    if failed:
        ended = f"{failed} of {len(entries)} runs ended in NaN/Inf"
        return f"The best run is {best.name} ({metric} {number(best.value)}); {ended}."
    span = f"from {number(best.value)} to {number(worst.value)}"
    return f"The best run is {best.name}. The {len(entries)} runs range {span} in {metric}."


def _nothing_differs(noise: Noise | None) -> str:
    repeats = f" between repeats ({_spread(noise)})" if noise else ""
    return (
        f"No recorded setting differs between these runs: the difference is noise{repeats}, or something that was "
        "not logged."
    )


def _too_few(entries: Sequence[Entry], effects: Sequence[Effect]) -> str:
    count = len(entries)
    names = [name for effect in effects for name in effect.settings]
    if len(names) == 1:
        return (
            f"Only {names[0]} differs: {_order(effects[0])}. {count} runs cannot show whether it is the reason: "
            "the noise between equal runs is unknown. Repeat each with two more seeds."
        )
    return (
        f"They differ in {len(names)} settings ({listed(names, 8)}). {count} runs cannot show which of them explains "
        "the difference: change one at a time, and repeat each with another seed."
    )


def _no_effect(entries: Sequence[Entry], effects: Sequence[Effect], noise: Noise | None) -> str:
    names = listed([" and ".join(effect.settings) for effect in effects], 6)
    values = [entry.value for entry in entries if entry.value is not None]
    if noise and len(values) == len(entries) and pstdev(values) < 2 * noise.spread:
        return f"No setting explains the difference ({names}): it is within the noise of repeats ({_spread(noise)})."
    tested = [effect for effect in effects if effect.p_value is not None]
    if tested and len(entries) < 8:
        best = tested[0]
        return (
            f"No setting is significant with {len(entries)} runs. The closest is {' and '.join(best.settings)} "
            f"({_order(best)}; {_p_value(best)})."
        )
    return f"No setting explains the difference: none of {names} is significant."


def _leading(effect: Effect, noise: Noise | None, count: int) -> list[str]:
    names = " and ".join(effect.settings)
    p_value = effect.p_value or 0.0
    sure = "very likely" if p_value < VERY_LIKELY else "probably" if p_value < LIKELY else "possibly"
    verb = "explain" if len(effect.settings) > 1 else "explains"
    sentences = [
        f"{names} {sure} {verb} the difference: {_order(effect)} ({percent(effect.share)} of the differences in rank, "
        f"{_p_value(effect)}, {count} runs)."
    ]
    if len(effect.settings) > 1:
        sentences.append(f"{names} always changed together: these runs cannot show which of them matters.")
    if effect.rival:
        rival = " and ".join(effect.rival)
        sentences.append(f"{rival} changed along with it (confounded): vary one while the other stays the same.")
    if noise:
        sentences.append(f"Noise: {_spread(noise)}.")
    else:
        sentences.append("No run was repeated with equal settings, so the noise between equal runs is unknown.")
    return sentences


def _order(effect: Effect) -> str:
    """Return the values of the setting from best to worst with their median results."""
    levels = list(effect.levels)
    chosen = levels if len(levels) <= 4 else [*levels[:2], levels[-1]]
    texts = [
        f"{label} {'ends in NaN/Inf' if math.isinf(value) else 'gives ' + number(value)}" for label, _, value in chosen
    ]
    if len(levels) > 4:
        texts.insert(2, f"{len(levels) - 3} values between")
    return ", ".join(texts)


def _brief(effect: Effect) -> str:
    label = effect.levels[0][0] if effect.levels else ""
    return f"{' and '.join(effect.settings)} (best {label}; {_p_value(effect)})"


def _spread(noise: Noise) -> str:
    groups = f" in {noise.groups} groups" if noise.groups > 1 else ""
    return f"{noise.runs} runs with equal settings{groups} differ by ±{number(noise.spread)}"


def _p_value(effect: Effect) -> str:
    if effect.p_value is None:
        return "p unknown"
    return "p < 0.001" if effect.p_value < 0.001 else f"p = {effect.p_value:.2g}"
