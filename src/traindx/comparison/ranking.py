"""Makes a comparison: chooses the quantity, ranks the runs, finds the settings that explain the ranks, and says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_high, median_low, pstdev

import numpy as np

from ..wording import listed, num4, percent
from .effects import effects_of, settings_that_differ
from .outcome import STANDARD, higher_is_better
from .settings import short_names
from .types import Comparison, Duplicates, Effect, Entry, Measured, Metric, Noise, Outcome, unlike_quantities

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


FEWEST_POINTS = 8  # shorter curves agree by chance
NEAR = 0.1  # largest distance of near copies, in units of the curve's noise; runs with other seeds are 1.4 apart
EQUAL_START = 1e-3  # relative difference of the first values


def duplicates_among(entries: Sequence[Entry], metric: str) -> list[Duplicates]:
    """Group the runs with equal curves, by training loss if there is one, because it has the most points."""
    curves = [entry.outcome.measured.get("loss/train") or entry.outcome.measured.get(metric) for entry in entries]
    usable = [i for i, curve in enumerate(curves) if curve is not None and np.isfinite(curve.values[:1]).all()]
    usable.sort(key=lambda i: _first(curves[i]))
    group_of = list(range(len(entries)))
    exact: dict[int, bool] = {}
    for place, i in enumerate(usable):
        for j in usable[place + 1 :]:
            # Sorted by the first value, equal curves are neighbours, so even a thousand runs need few comparisons.
            if _first(curves[j]) - _first(curves[i]) > EQUAL_START * abs(_first(curves[i])):
                break
            same = _same(curves[i], curves[j])
            if same is not None:
                old, new = group_of[j], group_of[i]
                group_of = [new if group == old else group for group in group_of]
                exact[new] = exact.get(new, True) and exact.pop(old, True) and same
    found = []
    for group, identical in exact.items():
        members = [entry for entry, its in zip(entries, group_of, strict=True) if its == group]
        differ = any(dict(member.settings) != dict(members[0].settings) for member in members)
        found.append(Duplicates([member.name for member in members], identical, differ))
    return found


def _first(curve: Measured | None) -> float:
    return float(curve.values[0]) if curve is not None else 0.0


def _same(one: Measured | None, other: Measured | None) -> bool | None:
    """Compare the curves at their common steps: True if identical, False if nearly so, None if they differ."""
    assert one is not None and other is not None
    if len(one.steps) < FEWEST_POINTS or len(other.steps) < FEWEST_POINTS:
        return None
    if np.array_equal(one.steps, other.steps) and np.array_equal(one.values, other.values, equal_nan=True):
        return True
    _, mine, its = np.intersect1d(one.steps, other.steps, return_indices=True)
    shorter = min(len(one.steps), len(other.steps))
    if len(mine) < max(FEWEST_POINTS, 0.8 * shorter):
        return None
    a, b = one.values[mine], other.values[its]
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)) or finite.sum() < FEWEST_POINTS:
        return None
    a, b = a[finite], b[finite]
    noise = float(np.median(np.abs(np.diff(a))))
    distance = float(np.abs(a - b).max())
    if distance == 0:
        return True
    # A curve without noise has nothing that identifies it.
    return False if noise > 0 and distance < NEAR * noise else None


LABELS = {
    "loss/validation": "validation loss",
    "loss/train": "training loss",
    "accuracy/validation": "validation accuracy",
    "accuracy/train": "training accuracy",
    "train": "training loss",
    "validation": "validation loss",
    "val": "validation loss",
}
MOSTLY = 0.8  # share of the runs that must have a quantity to compare by it
UNLIKE_LENGTH = 1.2  # ratio of lengths from which on a note warns that the longer runs had more time


def compare(outcomes: Sequence[Outcome], metric: Metric | None = None, level: float | None = None) -> Comparison:
    """Compare runs by `metric` (None: choose one). The report shows when each run first reached the value `level`."""
    chosen = metric.name if metric else _choose(outcomes)
    kept = [outcome for outcome in outcomes if chosen in outcome.measured]
    unlike = _unlike(kept, chosen, named=metric is not None)
    surely = _unlike(kept, chosen, named=True) is not None
    switched = surely and metric is None and (better := _common_accuracy(kept)) is not None
    if switched and better:
        chosen = better
    higher = metric.higher_is_better if metric else higher_is_better(chosen)
    ranked = unlike is None or switched
    left_out = [(o.source, f"it has no {label_of(chosen)}") for o in outcomes if chosen not in o.measured]
    settings = settings_that_differ(kept)
    names = short_names([outcome.source for outcome in kept])
    found = [o.measured[chosen] for o in kept]
    if level is None and ranked:
        bests = [m.best for m in found if m.best is not None]
        # The level that at least half of the runs reach.
        level = (median_low if higher else median_high)(bests) if bests else None
    entries = [
        Entry(
            name=names[i],
            outcome=outcome,
            settings={s.name: v for s in settings if (v := s.values[i]) is not None},
            best=measured.best,
            best_step=measured.best_step,
            final=measured.final,
            reached=_reached(measured, level, higher),
            value=(value := _value(outcome, measured)),
            score=math.inf if value is None else -value if higher else value,
        )
        for i, (outcome, measured) in enumerate(zip(kept, found, strict=True))
    ]
    effects, noise = effects_of(settings, np.array([entry.score for entry in entries])) if ranked else ([], None)
    if higher:
        # Quantities for which higher is better are ranked by their negative: turn scores back into values.
        effects = [replace(e, levels=[(label, runs, -score) for label, runs, score in e.levels]) for e in effects]
    reason = f"Compared by {label_of(chosen)}, because the losses are different quantities: {unlike}."
    in_order = sorted(entries, key=lambda entry: (entry.score if ranked else 0.0, entry.name))
    order = [name for effect in effects for name in effect.settings]
    return Comparison(
        metric=label_of(chosen),
        key=chosen,
        higher_is_better=higher,
        level=level,
        ranked=ranked,
        entries=in_order,
        differing=[*order, *(s.name for s in settings if s.name not in order)],
        effects=effects,
        noise=noise,
        statement=statement_of(in_order, effects, noise, label_of(chosen))
        if ranked
        else [_no_ranking(unlike or "", surely)],
        duplicates=duplicates_among(in_order, chosen),
        notes=[*(_notes(in_order, chosen) if ranked else []), *([reason] if switched else [])],
        not_compared=left_out,
    )


def label_of(metric: str) -> str:
    return LABELS.get(metric, metric.removeprefix("raw/"))


def _choose(outcomes: Sequence[Outcome]) -> str:
    """Return the first quantity that nearly all runs have, or else the one that most runs have."""
    counts = {name: sum(name in outcome.measured for outcome in outcomes) for name in STANDARD}
    enough = [name for name, count in counts.items() if count and count >= MOSTLY * len(outcomes)]
    return enough[0] if enough else max(counts, key=lambda name: counts[name])


def _value(outcome: Outcome, measured: Measured) -> float | None:
    """Return the value that ranks a run; None, the last rank, if the quantity or the training loss ended in NaN/Inf."""
    training = outcome.measured.get("loss/train")
    if measured.final is None or (training is not None and training.final is None):
        return None
    return measured.final if "train" in measured.name else measured.best


def _reached(measured: Measured, level: float | None, higher: bool) -> int | None:
    if level is None:
        return None
    there = np.flatnonzero(measured.smooth >= level if higher else measured.smooth <= level)
    return int(measured.smooth_steps[there[0]]) if len(there) else None


def _unlike(outcomes: Sequence[Outcome], metric: str, named: bool) -> str | None:
    """Return how the losses differ in kind, or None if they do not.

    If the user `named` the metric, logs that do not say which loss they hold are taken to hold the same one.
    """
    names = short_names([outcome.source for outcome in outcomes])
    quantities = [
        (name, replace(found, origin=None) if named else found)
        for name, outcome in zip(names, outcomes, strict=True)
        if (found := outcome.quantities.get(outcome.measured[metric].name)) is not None
    ]
    return unlike_quantities(quantities)


def _common_accuracy(outcomes: Sequence[Outcome]) -> str | None:
    """Return an accuracy that all runs have, if their tasks do not have different numbers of classes."""
    counts = {q.classes for outcome in outcomes for q in outcome.quantities.values() if q.classes}
    having = [name for name in STANDARD[2:] if all(name in outcome.measured for outcome in outcomes)]
    return having[0] if having and len(counts) <= 1 else None


def _no_ranking(unlike: str, surely: bool) -> str:
    if not surely:
        return (
            f"These runs are not ranked: their losses may be different quantities. They are {unlike}. "
            "If all have one loss function and task, --metric train or --metric validation ranks them."
        )
    return (
        "These runs are not ranked: their losses are different quantities, and a lower value of one says nothing about "
        f"another. They are {unlike}. Compare runs with one loss function and task, or name a --metric that all have."
    )


def _notes(entries: Sequence[Entry], metric: str) -> list[str]:
    notes = []
    lengths = [int(entry.outcome.measured[metric].steps.max()) for entry in entries]
    units = {entry.outcome.step_unit for entry in entries}
    if len(units) > 1:
        notes.append(f"Steps are counted differently ({', '.join(sorted(units))}): do not compare them across runs.")
    elif lengths and max(lengths) > UNLIKE_LENGTH * max(1, min(lengths)):
        notes.append(
            f"The runs differ in length ({min(lengths):,} to {max(lengths):,} {units.pop()}s): a longer one had more "
            "time to improve."
        )
    return notes
