"""The optimizer and its settings."""

from __future__ import annotations

import re
from typing import Any

from ...wording import num
from ._base import AnswerError, Question, Telling
from ._numbers import negative_powers

_NAMES = {
    "adamw": "AdamW", "nadam": "NAdam", "radam": "RAdam", "adamax": "Adamax", "sparseadam": "SparseAdam",
    "adam": "Adam", "rmsprop": "RMSprop", "adagrad": "Adagrad", "adadelta": "Adadelta", "adafactor": "Adafactor",
    "lion": "Lion", "lbfgs": "LBFGS", "asgd": "ASGD", "sgd": "SGD",
}  # fmt: skip
_VALUE = r"[\s:=]*\(?([-+]?\d*\.?\d+(?:e[-+]?\d+)?)"
_SETTINGS = {
    "lr": rf"(?:learning[ _-]?rate|\blr|\beta\b){_VALUE}",
    "weight_decay": rf"(?:weight[ _-]?decay|\bwd){_VALUE}",
    "momentum": rf"momentum{_VALUE}",
    "eps": rf"\beps(?:ilon)?{_VALUE}",
    "betas": r"betas[\s:=]*\(?([\d.]+)\s*,\s*([\d.]+)",
}
_PLAIN = re.compile(r"(?<![\w.=-])(\d*\.?\d+(?:e[-+]?\d+)?)(?![\w.])", re.IGNORECASE)


def _read(text: str) -> Telling:
    words = negative_powers(text.lower().replace("l-bfgs", "lbfgs"))
    name = next((full for short, full in _NAMES.items() if re.search(rf"\b{short}(?![a-z])", words)), None)
    settings: dict[str, Any] = {}
    for setting, pattern in _SETTINGS.items():
        found = re.search(pattern, words)
        if found:
            settings[setting] = [float(part) for part in found.groups()] if setting == "betas" else float(found[1])
    if "lr" not in settings:
        plain = _PLAIN.search(re.sub(r"(momentum|decay|wd|eps|betas)[\s:=]*\(?[\d.e-]+", "", words))
        if plain:
            settings["lr"] = float(plain[1])
    if not settings.get("lr", 1.0) > 0:
        raise AnswerError("a learning rate must be above zero, for example Adam lr=1e-3")
    if name is None and "lr" not in settings:
        raise AnswerError("please name the optimizer and its learning rate, for example Adam lr=1e-3")
    # Without a name, the number says little: 0.1 is usual for SGD and far too high for Adam.
    entry: dict[str, Any] = {"groups": [settings], **({"class": name} if name else {})}
    shown = ", ".join(f"{key} {num(value)}" for key, value in settings.items() if isinstance(value, float))
    return Telling(f"{name or 'optimizer not named'} {shown}".strip(), {"optimizers": entry})


QUESTION = Question(
    id="optimizer",
    ask="Which optimizer do you use, with which settings?",
    why="The learning rate is the first suspect when a loss swings, blows up or hardly moves.",
    how="Copy the line that creates it, for example torch.optim.Adam(model.parameters(), lr=1e-3).",
    read=_read,
    examples=(
        ("Adam lr=1e-3", 5),
        ("Adam lr=3e-5", 2),
        ("Adam lr=0.1", 1),
        ("Adam lr=1e-6", 0.7),
        ("SGD lr=0.1", 2),
        ("SGD lr=0.01 momentum=0.9", 2),
        ("SGD lr=1e-5", 0.5),
        ("SGD lr=10", 0.4),
        ("SGD lr=0.01 momentum=0.999", 0.3),
        ("AdamW lr=1e-3 weight_decay=10", 0.2),
    ),
    hint="for example: Adam lr=1e-3 weight_decay=0.01",
)
