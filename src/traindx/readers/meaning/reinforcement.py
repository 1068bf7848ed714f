"""Recognises logs of reinforcement learning. Their losses say little about whether the training goes well."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .named_series import NamedSeries
from .names import EPISODES, POLICY_TERMS, tokens, words_in

# Preference tuning (DPO and similar methods) logs rewards of chosen and rejected answers, but has an ordinary loss.
_PREFERENCES = frozenset(("chosen", "rejected", "margins", "accuracies"))
_AGENT = EPISODES | POLICY_TERMS
_AGENT |= words_in("rollout ep epsilon kl entropy advantage advantages fps completion completions replay env agent")
FEWEST = 3  # different values; a setting has fewer


def reinforcement(curves: Mapping[str, NamedSeries], counter: str = "") -> list[str]:
    """Return the columns that show that an agent is trained on rewards, if any. `counter` is the step column."""
    words = {name: set(tokens(name)) for name in (*curves, counter) if name}
    if any(found & _PREFERENCES for found in words.values()):
        return []
    rewards = [name for name, curve in curves.items() if curve.role.kind == "reward" and _varies(curve)]
    episodes = any(found & EPISODES for found in words.values())
    rewards += [name for name, found in words.items() if episodes and "score" in found and name not in rewards]
    companions = [name for name, found in words.items() if found & _AGENT and name not in rewards]
    # A column called reward is one. A column called return may be an exit status, so it needs companions.
    certain = bool(companions) or any(words[name] & {"reward", "rewards", "rew"} for name in rewards)
    return [*rewards[:5], *companions[:3]] if rewards and certain else []


def _varies(curve: NamedSeries) -> bool:
    return len(np.unique(curve.values)) >= FEWEST


def policy_losses(losses: list[NamedSeries]) -> list[NamedSeries]:
    """Return the losses of a policy and its value function, if the log has no other loss."""
    policy = [curve for curve in losses if set(tokens(curve.name)) & POLICY_TERMS]
    value = [curve for curve in losses if set(curve.role.extra) == {"value"}]
    rest = [curve for curve in losses if curve not in policy and curve not in value]
    return policy + value if policy and len(policy + value) > 1 and not rest else []
