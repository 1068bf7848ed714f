"""The questions of the interview, and how their answers enter the record.

A question is a TOML file of this package with the fields of `Question`. Each `[[option]]` states signs with a level (0
is what healthy runs show, 1 is unmistakable), and facts under the names of docs/record.md. If the answer is typed,
`read` names the function of this file that turns it into a `Telling`: numbers (`50M`, `2,000`, `1e-3`), settings,
pasted lines. `share` says how common an answer is among people who ask for help; `examples` are typical answers with
their shares, from which the value of a question without options is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any

from ...errors import PlainError
from ...toml import tables
from ...units import by_id
from ...wording import counted, num


class AnswerError(PlainError, ValueError):
    """The answer cannot be understood; `str(error)` is one line that says what an answer looks like."""


@dataclass
class Telling:
    """The facts and signs that one answer states. `said` is the answer in a few words."""

    said: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    signs: dict[str, dict[str, Any]] = field(default_factory=dict)
    pasted: str = ""  # lines of a log, for the readers
    reports: str = ""  # the cause that the answer names outright

    def sign(self, name: str, level: float, text: str, onset: int | None = None) -> None:
        self.signs[name] = {"level": level, "text": text, "onset": onset}


@dataclass(frozen=True)
class Option:
    """One of the answers to choose from. `said` completes "You said that …"."""

    key: str
    label: str
    said: str
    signs: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    words: tuple[str, ...] = ()  # patterns in free text that give this answer
    reports: str = ""  # the cause that this answer names outright

    def tell(self) -> Telling:
        found = Telling(self.label, dict(self.facts), reports=self.reports)
        for name, level in self.signs.items():
            found.sign(name, level, f"You said that {self.said}.")
        return found


@dataclass(frozen=True)
class Question:
    id: str
    ask: str
    why: str
    how: str
    options: tuple[Option, ...] = ()
    read: Callable[[str], Telling] | None = None
    examples: tuple[tuple[str, float], ...] = ()
    hint: str = ""  # what an answer looks like, if there are no options
    many_lines: bool = False
    effort: float = 1.0  # relative to choosing from a list

    def answer(self, text: str) -> Telling:
        """What the answer states. Raises `AnswerError` (one line) if it cannot be understood."""
        chosen = self.option(text)
        if chosen is not None:
            return chosen.tell()
        if self.read is not None:
            return self.read(text)
        raise AnswerError(f"please choose one of: {', '.join(option.key for option in self.options)}")

    def option(self, text: str) -> Option | None:
        """The option that the text names by number, key or label; small typos are allowed."""
        word = " ".join(text.strip().lower().split())
        if word.isdigit() and self.read is None:
            return self.options[int(word) - 1] if 1 <= int(word) <= len(self.options) else None
        names = {option.key: option for option in self.options}
        names |= {option.label.lower(): option for option in self.options}
        if word in names:
            return names[word]
        begun = {option.key: option for name, option in names.items() if len(word) >= 3 and name.startswith(word)}
        if len(begun) == 1:
            return next(iter(begun.values()))
        near = get_close_matches(word, names, n=1, cutoff=0.85) if self.options and len(word) >= 3 else []
        return names[near[0]] if near else None

    def hypothetical(self) -> list[tuple[Telling, float]]:
        """The possible answers with their shares, which add up to 1."""
        told = [(option.tell(), option.share) for option in self.options]
        told += [(self.answer(text), share) for text, share in self.examples]
        total = sum(share for _, share in told)
        return [(telling, share / total) for telling, share in told]


__all__ = ["AnswerError", "Option", "Question", "Telling", "all_questions"]


@cache
def all_questions() -> dict[str, Question]:
    """All questions by id."""
    made = map(_question, tables(__package__))
    return by_id(((question.id, question) for question in made), "questions")


def _question(stated: dict[str, Any]) -> Question:
    options = tuple(
        Option(**{**option, "words": tuple(option.get("words", ()))}) for option in stated.pop("option", ())
    )
    examples = tuple((text, float(share)) for text, share in stated.pop("examples", ()))
    read = READERS[stated.pop("read")] if "read" in stated else None
    return Question(**stated, options=options, examples=examples, read=read)


TINY_BATCH = 4
FEW_STEPS = 200
EARLY = 5  # before this step, usually only the data, the initial weights or the loss itself can be wrong

_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}
_UNITS |= {"thousand": 1e3, "g": 1e9}
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(\d{1,3}(?:[,_' ]\d{3})+(?![\d])|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)\s*"
    r"(k|m|mio|million|b|bn|billion|thousand|g)?(?![\w])",
    re.IGNORECASE,
)
_NAMES = {
    "adamw": "AdamW", "nadam": "NAdam", "radam": "RAdam", "adamax": "Adamax", "sparseadam": "SparseAdam",
    "adam": "Adam", "rmsprop": "RMSprop", "adagrad": "Adagrad", "adadelta": "Adadelta", "adafactor": "Adafactor",
    "lion": "Lion", "lbfgs": "LBFGS", "asgd": "ASGD", "sgd": "SGD",
}  # fmt: skip
_VALUE = r"(?:\s+(?:of|is|at)\b)?[\s:=]*\(?([-+]?\d*\.?\d+(?:e[-+]?\d+)?)"
_SETTINGS = {
    "lr": rf"(?:learning[ _-]?rate|\blr|\beta\b){_VALUE}",
    "weight_decay": rf"(?:weight[ _-]?decay|\bwd){_VALUE}",
    "momentum": rf"momentum{_VALUE}",
    "eps": rf"\beps(?:ilon)?{_VALUE}",
    "betas": r"betas[\s:=]*\(?([\d.]+)\s*,\s*([\d.]+)",
}
_PLAIN = re.compile(r"(?<![\w.=-])(\d*\.?\d+(?:e[-+]?\d+)?)(?![\w.])", re.IGNORECASE)
_ACCURACY = re.compile(r"acc|%|percent|f1", re.IGNORECASE)


def optimizer(text: str) -> Telling:
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


def batch_size(text: str) -> Telling:
    rows = first_number(text, "the batch size")
    found = Telling(f"batch size {num(rows)}", {"loaders": {"batch_size": rows}})
    if rows <= TINY_BATCH:
        said = f"You said that the batch size is {num(rows)}: batch norm sees only that many samples."
        found.sign("norm-tiny-batch", 0.5, said)
    return found


def data_size(text: str) -> Telling:
    samples = first_number(text, "the number of samples")
    return Telling(f"{num(samples)} training samples", {"loaders": {"size": samples}})


def model_size(text: str) -> Telling:
    parameters = first_number(text, "the number of parameters")
    return Telling(f"{num(parameters)} parameters", {"models": {"elements": parameters, "trainable": parameters}})


def steps(text: str) -> Telling:
    made = int(first_number(text, "the number of steps"))
    found = Telling(counted(made, "step"), {"steps": made})
    if made < FEW_STEPS:
        found.sign("still-improving", 0.6, f"You said that the run has made {counted(made, 'step')}.")
    return found


def first_nan(text: str) -> Telling:
    spelled = re.sub(r"\b(first|at once|immediately|right away|from the start)\b", "0", text.lower())
    found = numbers_in(spelled)
    if not found:
        raise AnswerError("please give the step of the first NaN, and the last good loss if you know it: 1200, 2.31")
    step = int(found[0])
    last = f" after a loss of {num(found[1])}" if len(found) > 1 else ""
    telling = Telling(f"first NaN at step {step}{last}", {"steps": step + 1})
    said = f"You said that the loss is NaN from step {step} on{last}."
    telling.sign("loss-not-finite", 1.0, said, step)
    telling.sign("early-instability", 0.7 if step < FEW_STEPS else 0.0, said, step)
    if step < EARLY:
        # There were no steps yet that could have broken the weights.
        telling.sign("nonfinite-from-weights", 0.0, said, step)
        telling.sign("loss-diverged", 0.0, said, step)
    return telling


def norms(text: str) -> Telling:
    values = numbers_in(text)
    if len(values) < 2:
        raise AnswerError("please choose, or paste at least two norms, oldest first: 0.8 0.9 1.1 40 900")
    return Telling(f"{len(values)} gradient norms", {"grad_norm": values})


def losses(text: str) -> Telling:
    lines = text.strip()
    if not any(char.isdigit() for char in lines) and "nan" not in lines.lower():
        raise AnswerError("there is no number in this: paste lines of your log, or the losses as plain numbers")
    return Telling(f"{len(lines.splitlines())} lines of a log", pasted=lines)


def numbers(text: str) -> Telling:
    values = numbers_in(text)
    if len(values) < 2:
        raise AnswerError("please give both numbers, training first: loss 0.02 and 1.4, or accuracy 99 % and 61 %")
    train, validation = values[0], values[1]
    accuracy = bool(_ACCURACY.search(text))
    what = "accuracy" if accuracy else "loss"
    telling = Telling(f"{what} {num(train)} in training, {num(validation)} in validation")
    said = f"You said that the {what} is {num(train)} in training and {num(validation)} in validation."
    if accuracy:
        unit = 100.0 if max(train, validation) > 1.0 else 1.0
        gap = (train - validation) / unit
        wide = 0.9 if gap > 0.25 else 0.7 if gap > 0.1 else 0.1
        learned = train / unit > 0.9
    else:
        wide = 0.9 if validation > 3 * train else 0.7 if validation > 1.5 * train else 0.1
        learned = wide >= 0.7
    telling.sign("generalisation-gap", wide, said)
    telling.sign("memorising", wide if learned else 0.2, said)
    return telling


def first_number(text: str, what: str) -> float:
    found = numbers_in(text)
    if not found or found[0] <= 0:
        raise AnswerError(f"please give {what} as a number, for example 32, 2,000 or 50M")
    return found[0]


def numbers_in(text: str) -> list[float]:
    """Every number in `text`, multiplied by its unit."""
    found = []
    for digits, unit in _NUMBER.findall(text):
        plain = re.sub(r"[,_' ]", "", digits)
        found.append(float(plain) * _UNITS[unit.lower()])
    return [value for value in found if value < 1e300]


def negative_powers(text: str) -> str:
    """The text with `10^-3` and `10**-3` written as `1e-3`."""
    return re.sub(r"\b10\s*(?:\^|\*\*)\s*(-?\d+)", r"1e\1", text)


READERS = {
    "optimizer": optimizer, "batch_size": batch_size, "data_size": data_size, "model_size": model_size, "steps": steps,
    "first_nan": first_nan, "norms": norms, "losses": losses, "numbers": numbers,
}  # fmt: skip
