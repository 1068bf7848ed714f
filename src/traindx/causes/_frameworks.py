"""The framework that runs the training loop, and how its users write what a fix changes."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from ..edits import Edits, callee, set_argument
from ..record import Run
from ._known import optimizer_class

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Those with words of their own. A loop of another framework gets PyTorch's, as a loop by hand does.
WORDED = ("lightning", "huggingface", "keras", "skorch", "jax")
# Lines that stand in a loop: whoever leaves the loop to a framework has no place for them.
_OF_A_LOOP = ("param_groups", ".backward(", "optimizer.step(", "zero_grad(", "clip_grad_", "DataLoader(")

# General lines of PyTorch, the fix that says the same, and the number in them.
_SAID_OTHERWISE = (
    (r"clip_grad_norm_\(.*, ([\d.e+-]+)\)", "clip", "threshold"),
    (r"\bshuffle=(True)", "shuffle", "value"),
    (r"\bnum_workers=(\d+)", "num_workers", "value"),
    (r"dtype=torch\.(bfloat16)", "precision", "kind"),
)

_KERAS_METRICS = {"accuracy", "acc", "val_accuracy", "val_acc", "mae", "mse", "val_mae", "val_mse", "learning_rate"}
_LIGHTNING_COLUMNS = {"train_loss_step", "train_loss_epoch", "val_loss_epoch", "train/loss_step", "train/loss_epoch"}


_KERAS_LOSSES = ("SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy")


def set_from_logits(edits: Edits, logits: bool) -> None:
    """Tell the losses of Keras whether they get raw scores or probabilities."""
    for source, call in edits.project.calls(*_KERAS_LOSSES):
        set_argument(edits, source, call, "from_logits", str(logits), str(callee(call)))


def framework(run: Run) -> str:
    """The framework as observed; of a log, as its format and the names of its columns tell it; else "unknown"."""
    if observed := run.framework.name:
        return observed if observed in WORDED else "torch"
    if run.kind == "observed" or run.script:
        return "torch"
    if run.kind == "hf-trainer":
        return "huggingface"
    columns = {str(column) for column in run.log.columns.values()}
    columns |= {name.removeprefix("raw/") for name in run.series_names if name.startswith("raw/")}
    folders = [part.lower() for part in Path(run.source).parts]
    if columns & _LIGHTNING_COLUMNS or any("lightning" in part for part in folders):
        return "lightning"
    if "eval_loss" in columns or {"train/loss", "eval/loss"} <= columns:
        return "huggingface"
    if "loss" in columns and ("val_loss" in columns or columns & _KERAS_METRICS):
        return "keras"
    if any("keras" in part for part in folders):
        return "keras"
    return "unknown"


def pattern_for(run: Run, patterns: Mapping[str, str], torch: str) -> str:
    """The pattern for the run's framework; PyTorch's where that can stand in the user's own code."""
    which = framework(run)
    if which in ("torch", "unknown"):
        return torch
    written_in_torch = bool(run.torch) and not any(part in torch for part in _OF_A_LOOP)
    return patterns.get(which, torch if written_in_torch and which != "keras" else "")


def in_words_of(run: Run, code: str) -> str | None:
    """A general line of PyTorch as the run's framework says it; None where it has no place for such a line."""
    which = framework(run)
    if which in ("torch", "unknown"):
        return code
    for pattern, fix, number in _SAID_OTHERWISE:
        if found := re.search(pattern, code):
            return words(fix, **{number: found[1]}).get(which)
    of_torch = which in ("keras", "jax") and re.search(r"\b(torch|nn)\.", code)
    return None if of_torch or any(part in code for part in _OF_A_LOOP) else code


def words(fix: str, **numbers: object) -> dict[str, str]:
    """How a fix is written in each framework that frameworks.toml has words for."""
    return {name: Template(text).substitute(numbers).lstrip("\n") for name, text in _table()[fix].items()}


def optimizer_words(run: Run, name: str, value: str) -> dict[str, str]:
    """How one option of the optimizer is set where a framework makes it. `value` is source text."""
    kind = optimizer_class(run) or ("SGD" if name == "momentum" else "Adam")
    if name == "lr":
        return words("learning-rate", kind=kind, optax=kind.lower(), value=value)
    pair = _pair(value) if name == "betas" else None
    keras = trainer = optax = f"{name}={value}"
    if pair:
        keras, trainer, optax = (
            f"{first}={pair[0]}, {second}={pair[1]}"
            for first, second in (("beta_1", "beta_2"), ("adam_beta1", "adam_beta2"), ("b1", "b2"))
        )
    elif name == "eps":
        keras, trainer = f"epsilon={value}", f"adam_epsilon={value}"
    elif name in ("momentum", "nesterov", "dampening"):
        trainer = f'optim="sgd", optim_args="{name}={value}"'
    setting = {"name": name, "value": value, "keras": keras, "trainer": trainer, "in_optax": optax}
    return words("optimizer", kind=kind, optax=kind.lower(), **setting)


def _pair(value: str) -> tuple[Any, Any] | None:
    try:
        first, second = ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError):
        return None
    return first, second


@cache
def _table() -> dict[str, dict[str, str]]:
    text = files(__package__).joinpath("frameworks.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
