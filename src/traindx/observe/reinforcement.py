"""Recognises reinforcement learning: by its libraries, and in loops written by hand.

A hand-written loop is recognised by two things that it needs: something acts, and there is a reward. To act is to take
a step with an action, or to sample from a distribution and score the sample with `log_prob` (a policy gradient).
Training a reward model on pairs has rewards but does not act; an optimizer's `step` takes no action.
"""

from __future__ import annotations

import ast
import sys
from contextlib import suppress

from ..source_text import tree_of
from .sites import kind_of

LIBRARIES = ("gym", "gymnasium", "stable_baselines3", "pettingzoo", "dm_control", "torchrl", "tianshou", "rllib")
MOST_FILES = 30


def reinforcement_learning() -> list[str]:
    """What shows it: libraries, or the line at which an action is taken."""
    return [name for name in LIBRARIES if name in sys.modules] or by_hand()


def by_hand() -> list[str]:
    """`env.step(action)` or `log_prob(action)`, as the script's files write it; empty if no reward is beside it."""
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    own = [file for file in files if isinstance(file, str) and file.endswith(".py") and kind_of(file) == "user"]
    taken: list[str] = []
    rewarded = False
    for file in own[:MOST_FILES]:
        with suppress(RecursionError):  # of what is too deep to be written as text
            tree = tree_of(file)
            if tree is not None:
                taken += actions_in(tree) or policy_gradients_in(tree)
                rewarded = rewarded or has_reward(tree)
    return taken[:1] if rewarded else []


def actions_in(tree: ast.AST) -> list[str]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    return [ast.unparse(call) for call in calls if _is_step(call.func) and any(map(_is_action, call.args))]


def policy_gradients_in(tree: ast.AST) -> list[str]:
    """Calls of `log_prob`, where something is sampled too; `rsample` is differentiable and needs no such gradient."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    samples = any(_method(call) == "sample" for call in calls)
    return [ast.unparse(call) for call in calls if samples and _method(call) == "log_prob"]


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def has_reward(tree: ast.AST) -> bool:
    """Whether a variable is named after a reward, or after its advantage over the expected one."""
    names = {node.id.lower() for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return any("reward" in name or "advantage" in name or name in ("rew", "rews", "adv", "advs") for name in names)


def _is_step(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "step"


def _is_action(argument: ast.expr) -> bool:
    names = [node.id for node in ast.walk(argument) if isinstance(node, ast.Name)]
    return any("action" in name.lower() or name in ("a", "act") for name in names)
