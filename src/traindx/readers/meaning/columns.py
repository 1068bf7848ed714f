"""What the values of columns say beside their names: direction, evaluation sets, epochs, rewards, what was not read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...record.types import FloatArray, IntArray, distinct
from .names import MEASURES, WORDS, NamedSeries, bare_phase, tokens

if TYPE_CHECKING:
    from .assembly import LogFacts

_EITHER_WAY = frozenset({"elbo", "objective"})
FEWEST_POINTS = 4  # points that show a direction


def maximised(curve: NamedSeries) -> bool:
    """Return whether the negative of the curve is the loss: a log-probability, or a negative objective that rises."""
    values = curve.values[np.isfinite(curve.values)]
    if not len(values) or values.max() > 0:
        return False
    return curve.role.gain or (bool(_EITHER_WAY & set(tokens(curve.name))) and _rise(values) > 0)


def of_unknown_sign(curve: NamedSeries) -> bool:
    """Return whether the name says log-likelihood but the values are positive: it may be negated or not."""
    return curve.role.gain and not maximised(curve)


def bare_losses(curves: Mapping[str, NamedSeries]) -> list[NamedSeries]:
    """Return columns called just `train` and `val`, if both are there and the values of `train` decrease."""
    bare = [c for c in curves.values() if bare_phase(c.name) and np.isfinite(c.values).sum() >= FEWEST_POINTS]
    trained = [c for c in bare if c.role.phase == "train"]
    falls = all(_rise(c.values[np.isfinite(c.values)]) < 0 for c in trained)
    return bare if trained and len(bare) > len(trained) and falls else []


def _rise(values: FloatArray) -> float:
    """Return the change of the median from the first quarter to the last."""
    quarter = max(1, len(values) // 4)
    return float(np.median(values[-quarter:]) - np.median(values[:quarter])) if len(values) >= FEWEST_POINTS else 0.0


def evaluation_sets(validation: list[NamedSeries], train: list[NamedSeries]) -> list[NamedSeries]:
    """Return the losses of several evaluation sets, the most important first; nothing if they are parts of one loss.

    A plain `eval_loss` comes first, then the set with most points, among equals the one that the log names first.
    """
    candidates = [curve for curve in validation if curve.role.weak == 0 and curve.role.rank <= 4]
    trained = {_distinguishing(curve) for curve in train}
    names = [_distinguishing(curve) for curve in candidates]
    named = [name for name in names if name]
    if len(set(names)) < 2 or len(set(names)) < len(names) or any(n in trained or set(n) & WORDS.parts for n in named):
        return []
    return sorted(candidates, key=lambda curve: (bool(_distinguishing(curve)), -len(curve)))


def _distinguishing(curve: NamedSeries) -> tuple[str, ...]:
    return tuple(word for word in curve.role.extra if word not in MEASURES)


FEWEST_EVALUATIONS = 3  # evaluations; fewer do not show how they are numbered
STEPS_PER_EPOCH = 5.0  # with fewer steps per epoch, epochs cannot be told from steps


def place_epochs_among_steps(curves: dict[str, NamedSeries], log: LogFacts) -> None:
    """Move evaluations at 1, 2, 3 … to the steps at which these epochs ended."""
    train = curves.get("loss/train")
    if train is None or log.step_unit != "step":
        return
    epochs = [
        name for name, curve in curves.items() if _of_evaluation(name) and _counts_epochs(curve.steps, train.steps)
    ]
    if not epochs or len({int(curves[name].steps[-1]) for name in epochs}) > 1:
        return
    for name in epochs:
        curve = curves[name]
        curves[name] = NamedSeries(curve.name, _ends(curve.steps, train.steps, curves.get("epoch")), curve.values)
    names = ", ".join(log.columns.get(name, name) for name in epochs)
    log.notes.append(f"{names}: numbered by epoch while training is numbered by step; placed where the epochs ended")


def _of_evaluation(name: str) -> bool:
    return name.startswith(("loss/validation", "accuracy/validation"))


def _counts_epochs(steps: IntArray, trained: IntArray) -> bool:
    """Return whether the steps are 0, 1, 2 … or 1, 2, 3 …, beside a training with many more steps and points."""
    if len(steps) < FEWEST_EVALUATIONS or steps[0] not in (0, 1) or not np.all(np.diff(steps) == 1):
        return False
    far = float(trained.max()) >= STEPS_PER_EPOCH * float(steps[-1] + 1)
    return far and len(trained) >= 2 * len(steps) and not np.isin(steps, trained).all()


def _ends(epochs: IntArray, trained: IntArray, epoch: NamedSeries | None) -> IntArray:
    """Return the step at which each epoch ended: from the epochs in the log, or at equal distances."""
    passed = epochs - epochs[0] + 1
    if epoch is not None and len(epoch) > len(epochs) and np.all(np.diff(epoch.values) >= 0):
        ends = [
            trained[trained <= epoch.steps[epoch.values <= number].max(initial=0)].max(initial=0) for number in epochs
        ]
        if np.all(np.diff(ends) > 0):
            return np.asarray(ends, np.int64)
    return np.asarray(np.round(passed * float(trained.max()) / passed[-1]), np.int64)


# Preference tuning (DPO and similar methods) logs rewards of chosen and rejected answers, but has an ordinary loss.
_PREFERENCES = frozenset(("chosen", "rejected", "margins", "accuracies"))
FEWEST_VALUES = 3  # different values; a setting has fewer


def reinforcement(curves: Mapping[str, NamedSeries], counter: str = "") -> list[str]:
    """Return the columns that show that an agent is trained on rewards, if any. `counter` is the step column."""
    words = {name: set(tokens(name)) for name in (*curves, counter) if name}
    if any(found & _PREFERENCES for found in words.values()):
        return []
    rewards = [name for name, curve in curves.items() if curve.role.kind == "reward" and _varies(curve)]
    episodes = any(found & WORDS.episodes for found in words.values())
    rewards += [name for name, found in words.items() if episodes and "score" in found and name not in rewards]
    companions = [name for name, found in words.items() if found & WORDS.agent and name not in rewards]
    # A column called reward is one. A column called return may be an exit status, so it needs companions.
    certain = bool(companions) or any(words[name] & {"reward", "rewards", "rew"} for name in rewards)
    return [*rewards[:5], *companions[:3]] if rewards and certain else []


def policy_losses(losses: list[NamedSeries]) -> list[NamedSeries]:
    """Return the losses of a policy and its value function, if the log has no other loss."""
    policy = [curve for curve in losses if set(tokens(curve.name)) & WORDS.policy_terms]
    value = [curve for curve in losses if set(curve.role.extra) == {"value"}]
    rest = [curve for curve in losses if curve not in policy and curve not in value]
    return policy + value if policy and len(policy + value) > 1 and not rest else []


_NAMELESS = re.compile(r"column \d+")
_BEGIN_LIKE_A_PHASE = re.compile(r"(?:val|eval|dev|test|holdout)(?!ue|id$|ice|iat|el)")


def unread_validation(chosen: Mapping[str, NamedSeries], left: Mapping[str, NamedSeries]) -> list[str]:
    """Return the names of evaluation columns that are not diagnosed, if no validation loss was found."""
    if any(name.startswith("loss/validation") for name in chosen):
        return []
    train = chosen.get("loss/train")
    return [c.name for c in left.values() if _varies(c) and (_evaluated(c) or _nameless(c, train))]


def _evaluated(curve: NamedSeries) -> bool:
    words = tokens(curve.name)
    evaluated = curve.role.phase in ("validation", "test") or bool(words and _BEGIN_LIKE_A_PHASE.match(words[0]))
    return evaluated and not set(words) & WORDS.no_loss


def _nameless(curve: NamedSeries, train: NamedSeries | None) -> bool:
    """Return whether the column has no name and values of about the size of the training loss."""
    if train is None or not _NAMELESS.fullmatch(curve.name):
        return False
    ours, theirs = np.nanmedian(np.abs(curve.values)), np.nanmedian(np.abs(train.values))
    return bool(0.2 * theirs <= ours <= 5.0 * theirs)


def _varies(curve: NamedSeries) -> bool:
    return len(distinct(curve.values[np.isfinite(curve.values)])) >= FEWEST_VALUES
