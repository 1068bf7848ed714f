"""Turns named curves into a `Run`: chooses the training loss, the validation loss and so on, and keeps the rest raw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from ...record import Run, RunBuilder
from ...record.types import IntArray, distinct, steps_covered
from ..options import Options, ReaderError
from .columns import (
    bare_losses,
    evaluation_sets,
    maximised,
    of_unknown_sign,
    place_epochs_among_steps,
    policy_losses,
    reinforcement,
    unread_validation,
)
from .names import METRICS, WORDS, NamedSeries, Phase

MOST_RAW_COLUMNS = 512  # further columns are left out
FEWEST_POINTS = 5  # points that show the course of a loss
_ADVERSARIES = WORDS.generators | WORDS.discriminators


@dataclass
class LogFacts:
    """What is known about how a log was read. It becomes the fact `log`."""

    step_unit: str = "step"
    runs: int = 1
    run: int = 0
    resumed_at: list[int] = field(default_factory=list)
    skipped: int = 0
    notes: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    # Columns that may be a validation loss and were not read as one. A run that has some is not called healthy.
    unread_validation: list[str] = field(default_factory=list)
    # The losses of several networks (a GAN; an actor and its critic). None of them alone is the training loss.
    networks: list[str] = field(default_factory=list)

    def as_fact(self) -> dict[str, Any]:
        return dict(vars(self))


def assemble(curves: Mapping[str, NamedSeries], source: str, kind: str, options: Options, log: LogFacts) -> Run:
    """Build the run: recognised quantities under the record's names, everything else as `raw/NAME`."""
    chosen = _Chosen(log)
    left = {name: curve for name, curve in curves.items() if len(curve)}
    _by_options(chosen, left, options)
    _losses(chosen, left)
    _accuracies(chosen, left)
    _learning_rates(chosen, left)
    _single(chosen, left, "grad_norm", "grad_norm")
    _single(chosen, left, "loss_scale", "loss_scale")
    _single(chosen, left, "epoch", "epoch")
    _single(chosen, left, "data_time", "time/data")
    _single(chosen, {name: c for name, c in left.items() if not _is_clock(c)}, "step_time", "time/total")
    _throughput(chosen, left)
    _single(chosen, left, "skipped", "steps_skipped")
    _single(chosen, left, "memory", "memory")
    _metrics(chosen, left)
    if not any(name.startswith("loss/") for name in chosen.curves):
        log.notes.append("no loss in this log")
    place_epochs_among_steps(chosen.curves, log)
    log.unread_validation = unread_validation(chosen.curves, left)
    if log.unread_validation:
        names = ", ".join(log.unread_validation[:5])
        log.notes.append(f"may be a validation loss and was not read as one: {names} (--map val_loss=COLUMN reads it)")
    builder = RunBuilder(source, kind)
    if rewards := reinforcement(curves, log.columns.get("step", "")):
        builder.fact("rl", rewards)
    for name, curve in chosen.curves.items():
        builder.series(name, curve.steps, curve.values)
    for curve in list(left.values())[:MOST_RAW_COLUMNS]:
        builder.series(f"raw/{curve.name}", curve.steps, curve.values)
    if len(left) > MOST_RAW_COLUMNS:
        log.notes.append(f"{len(left) - MOST_RAW_COLUMNS} further columns were left out")
    if log.step_unit == "step":
        builder.fact("steps", steps_covered([curve.steps for curve in chosen.curves.values()]))
    return builder.fact("log", log.as_fact()).build()


class _Chosen:
    """The curves that got one of the record's names, and their names in the log."""

    def __init__(self, log: LogFacts) -> None:
        self.curves: dict[str, NamedSeries] = {}
        self._log = log

    def take(self, canonical: str, curve: NamedSeries, called: str | None = None) -> None:
        self.curves[canonical] = curve
        self._log.columns[canonical] = called or curve.name

    def take_loss(self, canonical: str, curve: NamedSeries) -> None:
        if not maximised(curve):
            self.take(canonical, curve)
            return
        self.take(canonical, NamedSeries(curve.name, curve.steps, -curve.values), f"negative of {curve.name}")
        self.note(f"{curve.name} is better when higher: {canonical} is its negative")

    def networks(self, losses: list[NamedSeries]) -> None:
        self._log.networks += [curve.name for curve in losses]

    def note(self, text: str) -> None:
        self._log.notes.append(text)

    def __contains__(self, canonical: str) -> bool:
        return canonical in self.curves


def _by_options(chosen: _Chosen, left: dict[str, NamedSeries], options: Options) -> None:
    for canonical, name in options.columns.items():
        chosen.take(canonical, left.pop(matching(name, left)))


def matching(name: str, names: Iterable[str]) -> str:
    """Return the log's column that the user means, or raise an error that lists similar names."""
    known = list(names)
    if name in known:
        return name
    if alike := [other for other in known if other.lower() == name.lower()]:
        return alike[0]
    near = get_close_matches(name, known, 5, 0.3) or known[:8]
    raise ReaderError(f"the log has no column {name!r}; it has {', '.join(near) or 'none with numbers'}")


def _candidates(left: Mapping[str, NamedSeries], kind: str, *phases: Phase) -> list[NamedSeries]:
    return [c for c in left.values() if c.role.kind == kind and c.role.phase in phases and not of_unknown_sign(c)]


def _best(candidates: list[NamedSeries]) -> list[NamedSeries]:
    """Sort the candidates, best first: totals before parts, but last those that cover far less of the run."""
    # A column called a loss wins over one called by a formula (`train_MAE_step`) even if that one has more points.
    outright = [c for c in candidates if c.role.weak == 0 and len(c) >= FEWEST_POINTS] or candidates
    longest = max((len(c) for c in outright), default=0)
    end = max((int(c.steps.max()) for c in candidates), default=0)

    def breaks_off(curve: NamedSeries) -> bool:
        return 4 * len(curve) < longest or 2 * int(curve.steps.max()) < end

    return sorted(candidates, key=lambda c: (breaks_off(c), c.role.rank, c.role.phase == "", -len(c)))


def _losses(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    train = _without_lone_adversaries(_candidates(left, "loss", "train", ""))
    if policy := policy_losses(train):
        _take_networks(chosen, left, policy, "losses of a policy and its value function: none is the training loss")
        train = []
    validation = _candidates(left, "loss", "validation")
    test = _candidates(left, "loss", "test")
    if any(c.role.weak == 0 for c in train):  # beside a `train_loss`, a `val_error` is another quantity
        train, validation, test = ([c for c in of if not _counts_errors(c)] for of in (train, validation, test))
    if not train + validation + test and (bare := bare_losses(left)):
        train, validation, test = ([c for c in bare if c.role.phase == p] for p in ("train", "validation", "test"))
        names = " and ".join(c.name for c in bare)
        chosen.note(f"{names}: the log does not say what they measure; they decrease, so they are read as losses")
    if "loss/train" not in chosen and train:
        _take_loss(chosen, left, "loss/train", _prefer_steps(_measured_in_training(train, validation)))
    if test and 4 * max(map(len, validation), default=0) < max(map(len, test)):
        validation, test = test, []
        if "loss/validation" not in chosen:
            chosen.note("the test loss is read as the validation loss")
    if "loss/validation" not in chosen and validation:
        if sets := evaluation_sets(validation, train):
            _take_one_of_several_sets(chosen, left, sets)
        else:
            _take_loss(chosen, left, "loss/validation", validation)
    _take_training_data_evaluation(chosen, left)
    _take_test_loss(chosen, left, test)
    if "loss/train" not in chosen and "loss/validation" not in chosen:
        _from_perplexity(chosen, left)


def _counts_errors(curve: NamedSeries) -> bool:
    """Whether the column is called an error and nothing else: wrong answers, or a distance."""
    return curve.role.kind == "loss" and curve.role.weak == 1 and set(curve.role.extra) <= WORDS.errors


def _without_lone_adversaries(losses: list[NamedSeries]) -> list[NamedSeries]:
    """Drop a column called just `D` if there is no `G` (or the reverse): only together they are losses of a GAN."""
    guessed = [c for c in losses if c.role.weak == 2 and c.role.extra[:1] and c.role.extra[0] in _ADVERSARIES]
    sides = {c.role.extra[0] in WORDS.generators for c in guessed}
    return losses if len(sides) == 2 else [c for c in losses if c not in guessed]


def _measured_in_training(train: list[NamedSeries], validation: list[NamedSeries]) -> list[NamedSeries]:
    """Drop training losses that were measured during evaluations, if there is also a plain `loss`."""
    if not validation:
        return train
    evaluated = distinct(np.concatenate([curve.steps for curve in validation]))
    plain = [c for c in train if c.role.phase == "" and c.role.rank < 4 and not _within(c.steps, evaluated)]
    at_evaluations = [c for c in train if c.role.phase == "train" and _within(c.steps, evaluated)]
    return [c for c in train if c not in at_evaluations] if plain else train


def _within(steps: IntArray, others: IntArray) -> bool:
    return len(steps) <= 2 * len(others) and bool(np.isin(steps, others).all())


def _prefer_steps(candidates: list[NamedSeries]) -> list[NamedSeries]:
    """Prefer losses logged per step to those logged per epoch, if they have enough points."""
    fine = [c for c in candidates if c.role.span != "epoch"]
    coarse = [c for c in candidates if c.role.span == "epoch"]
    enough = max((len(c) for c in fine), default=0) * 2 >= max((len(c) for c in coarse), default=0)
    return fine if fine and enough else candidates


def _take_loss(chosen: _Chosen, left: dict[str, NamedSeries], canonical: str, candidates: list[NamedSeries]) -> None:
    ordered = _best(candidates)
    best = ordered[0]
    if best.role.rank % 10 < 4 or len(ordered) == 1:
        chosen.take_loss(canonical, left.pop(best.name))
        return
    # Only parts are logged. A part whose name others extend (`L_vae`, `L_vae_kl`) is their total.
    parts = [c for c in ordered if c.role.weak == best.role.weak and c.role.rank % 10 == 4]
    stems = [c for c in parts if sum(set(c.role.extra) < set(other.role.extra) for other in parts) > 1]
    if stems:
        chosen.take_loss(canonical, left.pop(stems[0].name))
        return
    adversaries = [c for c in parts if set(c.role.extra) & _ADVERSARIES]
    parts = parts if len(adversaries) > 1 else [c for c in parts if c not in adversaries] or parts
    # Terms of one loss on the same data.
    same = [c for c in parts if c.role.phase == parts[0].role.phase and np.array_equal(c.steps, parts[0].steps)]
    if len(adversaries) > 1 and canonical == "loss/train":
        _take_networks(chosen, left, adversaries, "losses of several networks: none is the training loss")
    elif len(adversaries) > 1:
        chosen.take_loss(canonical, left.pop(adversaries[0].name))
    elif len(same) > 1:
        total = np.sum([c.values for c in same], axis=0)
        chosen.take(canonical, NamedSeries(canonical, same[0].steps, total), " + ".join(c.name for c in same))
        chosen.note(f"no total loss: {canonical} is the sum of {len(same)} parts")
    else:
        chosen.take_loss(canonical, left.pop(best.name))


def _take_networks(chosen: _Chosen, left: dict[str, NamedSeries], losses: list[NamedSeries], note: str) -> None:
    """Take the losses of several networks as `loss/train/0`, `loss/train/1` …"""
    for number, curve in enumerate(losses):
        chosen.take(f"loss/train/{number}", left.pop(curve.name))
    chosen.networks(losses)
    chosen.note(f"{', '.join(curve.name for curve in losses)}: {note}")


def _take_one_of_several_sets(chosen: _Chosen, left: dict[str, NamedSeries], sets: list[NamedSeries]) -> None:
    """Take one loss as the validation loss and the others as `loss/validation/1` …: they are on different data.

    Adding up losses on different data would be wrong.
    """
    first, *others = sets
    chosen.take("loss/validation", left.pop(first.name))
    for number, curve in enumerate(others, start=1):
        chosen.take(f"loss/validation/{number}", left.pop(curve.name))
    chosen.note(
        f"{len(sets)} evaluation sets: {first.name} is read as the validation loss "
        f"(--map val_loss=COLUMN chooses another: {', '.join(curve.name for curve in others[:5])})"
    )


def _take_training_data_evaluation(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    """Take a `train/loss` that is logged at evaluations, beside a mini-batch `loss`, as evaluation on training data."""
    if (
        "loss/train" not in chosen
        or "loss/validation" not in chosen
        or chosen.curves["loss/train"].role.phase == "train"
    ):
        return
    evaluated = chosen.curves["loss/validation"].steps
    for curve in _best(_candidates(left, "loss", "train")):
        if _within(curve.steps, evaluated) and 2 * len(curve) >= len(evaluated):
            chosen.take("loss/validation/training_data", left.pop(curve.name))
            return


def _take_test_loss(chosen: _Chosen, left: dict[str, NamedSeries], test: list[NamedSeries]) -> None:
    """Take a test loss beside the validation loss as a further evaluation set."""
    if "loss/validation" not in chosen:
        return
    taken = chosen.curves["loss/validation"].role
    for curve in _best(test)[:1]:
        if curve.name in left and curve.role.weak == taken.weak and curve.role.rank < 6:
            number = 1 + sum(name.removeprefix("loss/validation/").isdigit() for name in chosen.curves)
            chosen.take(f"loss/validation/{number}", left.pop(curve.name))


def _from_perplexity(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    for canonical, phases in (("loss/train", ("train", "")), ("loss/validation", ("validation", "test"))):
        found = _best(_candidates(left, "perplexity", *phases))  # type: ignore[arg-type]
        if found and np.nanmin(found[0].values) >= 1.0:
            curve = found[0]
            chosen.take(canonical, NamedSeries(canonical, curve.steps, np.log(curve.values)), f"log of {curve.name}")
            chosen.note(f"no loss, but a perplexity: {canonical} is its logarithm")


def _accuracies(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    validation = _candidates(left, "accuracy", "validation") or _candidates(left, "accuracy", "test")
    train = _candidates(left, "accuracy", "train")
    losses = chosen.curves.get("loss/train")
    # Beside a `train_loss` and a `valid_loss`, a plain `accuracy` is the validation accuracy (fastai prints it so).
    among_validation = not train and losses is not None and losses.role.phase == "train" and "loss/validation" in chosen
    for curve in _candidates(left, "accuracy", ""):
        # An accuracy without a phase that is logged less often than the loss comes from an evaluation.
        rare = losses is not None and 2 * len(curve) < len(losses)
        (validation if (rare or among_validation) and not validation else train).append(curve)
    for canonical, candidates in (("accuracy/train", train), ("accuracy/validation", validation)):
        plain = [c for c in _best(candidates) if c.role.rank < 4]
        if plain and canonical not in chosen:
            curve = left.pop(plain[0].name)
            percent = curve.values[np.isfinite(curve.values)].max(initial=0.0) > 1.5
            values = curve.values / 100.0 if percent else curve.values
            values = 1.0 - values if curve.role.wrong else values
            chosen.take(canonical, NamedSeries(canonical, curve.steps, values), curve.name)


def _is_clock(curve: NamedSeries) -> bool:
    """Whether a column called `time` counts the time since the start: it never goes back."""
    return curve.role.weak > 0 and (len(curve) < 3 or bool(np.all(np.diff(curve.values) >= 0)))


def _throughput(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    """Where no time is logged, take that of one sample or step from a throughput: whether it grows shows in it too."""
    found = [c for c in left.values() if c.role.kind == "throughput" and np.nanmin(c.values) > 0]
    if found and "time/total" not in chosen and "time/data" not in chosen:
        curve = left.pop(max(found, key=len).name)
        chosen.take("time/total", NamedSeries(curve.name, curve.steps, 1.0 / curve.values), f"1 / {curve.name}")


def _metrics(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    """Take metrics whose direction is known, so that a larger value is always better: a word error rate is negated."""
    metrics = [c for c in left.values() if c.role.kind == "metric" or _counts_errors(c)]
    evaluated = {c.role.extra[:1] for c in metrics if c.role.phase in ("validation", "test")}
    for curve in metrics:
        word = "error" if _counts_errors(curve) else curve.role.extra[0]
        # A metric that does not say of what is that of an evaluation, unless that one is logged beside it.
        in_training = curve.role.phase == "train" or (curve.role.phase == "" and curve.role.extra[:1] in evaluated)
        canonical = f"metric/{'train' if in_training else 'validation'}/{word}"
        if canonical in chosen:
            continue
        values = curve.values if METRICS.get(word) else -curve.values
        chosen.take(canonical, NamedSeries(canonical, curve.steps, values), left.pop(curve.name).name)


def _learning_rates(chosen: _Chosen, left: dict[str, NamedSeries]) -> None:
    groups = [curve for curve in left.values() if curve.role.kind == "lr"]
    if not groups:
        return
    # A learning rate printed once, beside one that is logged every step, is a setting and not a parameter group.
    longest = max(len(curve) for curve in groups)
    groups = [curve for curve in groups if 2 * len(curve) >= longest]
    if "lr" not in chosen:
        first = min(groups, key=lambda c: bool(c.role.extra))
        groups.remove(first)
        chosen.take("lr", left.pop(first.name))
    for number, curve in enumerate((c for c in groups if c.role.extra), start=1):
        chosen.take(f"lr/0.{number}", left.pop(curve.name))


def _single(chosen: _Chosen, left: dict[str, NamedSeries], kind: str, canonical: str) -> None:
    """Take a quantity that a run has once. Columns whose names say more (the norm of one layer) stay raw."""
    found = [c for c in left.values() if c.role.kind == kind and not c.role.extra]
    if canonical not in chosen and found:
        curve = min(found, key=lambda c: (c.role.weak, -len(c)))
        chosen.take(canonical, left.pop(curve.name))
