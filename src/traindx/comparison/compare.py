"""Makes a comparison: chooses the quantity, ranks the runs, and finds the settings that explain the ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import median_high, median_low

import numpy as np

from ._names import short_names
from .duplicates import duplicates_among
from .effects import effects_of
from .outcome import STANDARD, higher_is_better
from .quantity import unlike_quantities
from .statement import statement_of
from .types import Comparison, Effect, Entry, Measured, Metric, Outcome
from .varying import settings_that_differ

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
        effects = [_in_values(effect) for effect in effects]
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
        notes=[
            *(_notes(in_order, chosen) if ranked else []),
            *([_switched(unlike or "", label_of(chosen))] if switched else []),
        ],
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


def _in_values(effect: Effect) -> Effect:
    """Turn scores back into values: quantities for which higher is better are ranked by their negative."""
    return replace(effect, levels=[(label, runs, -score) for label, runs, score in effect.levels])


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


def _switched(unlike: str, metric: str) -> str:
    return f"Compared by {metric}, because the losses are different quantities: {unlike}."


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
