"""Recognises what free text is about: symptoms, wishes, matters that are out of scope, and answers to questions.

The nine symptoms that a user can name are files of `trees/`: a title, the words by which it is recognised, the signs
that it implies, the questions that come first, and its decision tree, which `walk` follows. The words of a symptom may
say more than its title: "the loss spikes" and "the loss climbs" are two readings of one symptom. Each reading names the
condition (`conditions/`) that it describes.

`wording.py` finds patterns. Of two that rest on the same word, the one that demands more, or stands closer, counts:
"loss increases after four epochs" is no wish for more epochs. A matter that is out of scope may stand for symptoms
that its own words raise (`instead_of`): an agent of reinforcement learning that "does not learn" is not a loss that
does not move.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from ..signs import Sign, Signs, all_signs
from ..toml import tables
from .questions import Telling, all_questions
from .wording import Find, Word, first, words_of

OTHER = "other"
Answer = Literal["yes", "no", "not known"]


@dataclass(frozen=True)
class Fork:
    """A question of the decision tree, answered by signs: raised signs of `yes` mean yes, raised signs of `no` mean no.

    If only one of the two lists is given, measured normal signs mean the opposite. With `before`, the answer is whether
    `sign` begins before that step.
    """

    id: str
    ask: str
    question: str  # the interview's question that would answer it
    if_yes: str
    if_no: str
    if_unknown: str
    yes: Sequence[str] = ()
    no: Sequence[str] = ()
    sign: str = ""
    before: int | None = None


@dataclass(frozen=True)
class Reading:
    """What a person says who names a symptom in certain words."""

    condition: str
    said: str
    words: Sequence[str]
    signs: Mapping[str, float]

    def tell(self) -> Telling:
        found = Telling(self.said.removeprefix("You said that ").rstrip(".").capitalize())
        for name, level in self.signs.items():
            found.sign(name, level, self.said)
        return found


@dataclass(frozen=True)
class Symptom:
    id: str
    title: str
    rank: int
    readings: Sequence[Reading]  # the first is that of the title
    first: Sequence[str]  # questions that every guide asks of it
    forks: Sequence[Fork] = ()
    leaves: Mapping[str, str] = field(default_factory=dict)
    closed: bool = False  # only the questions of its tree matter
    instead_of: Sequence[str] = ()  # symptoms that the same words may raise

    @property
    def signs(self) -> Mapping[str, float]:
        return self.readings[0].signs

    @property
    def complaints(self) -> list[str]:
        """The implied signs of a problem, in any reading, without signs of success."""
        named = dict.fromkeys(
            name for reading in self.readings for name, level in reading.signs.items() if level >= 0.5
        )
        return [name for name in named if all_signs()[name].shows != "success"]

    def tell(self) -> Telling:
        return self.readings[0].tell()


@cache
def all_symptoms() -> dict[str, Symptom]:
    """All symptoms by id, in the order in which they are listed."""
    found = []
    for data in tables(__package__, "trees"):
        forks, leaves = [Fork(**fork) for fork in data.pop("fork", [])], data.pop("leaf", {})
        title = Reading(data.pop("condition"), data.pop("said"), data.pop("words"), data.pop("signs"))
        readings = (title, *(Reading(**reading) for reading in data.pop("reading", [])))
        found.append(Symptom(**data, readings=readings, forks=forks, leaves=leaves))
    return {symptom.id: symptom for symptom in sorted(found, key=lambda symptom: symptom.rank)}


@dataclass(frozen=True)
class Step:
    """One fork on the path. `by` says where the answer comes from, `evidence` quotes the sign behind it."""

    ask: str
    answer: Answer
    by: Literal["measured", "told", ""]
    evidence: str
    question: str  # the interview's question that would answer it


@dataclass(frozen=True)
class Path:
    symptom: Symptom
    steps: Sequence[Step]
    ends: str  # the advice at the end of the path

    @property
    def settled(self) -> int:
        return sum(step.answer != "not known" for step in self.steps)


def walk(symptom: Symptom, signs: Signs) -> Path:
    """The path through the tree that these signs lead to."""
    forks = {fork.id: fork for fork in symptom.forks}
    steps: list[Step] = []
    place = symptom.forks[0].id if symptom.forks else ""
    while place in forks and len(steps) <= len(forks):
        fork = forks[place]
        answer, sign = _answer(fork, signs)
        by: Literal["measured", "told", ""] = "" if sign is None else "told" if sign.values.get("told") else "measured"
        steps.append(Step(fork.ask, answer, by, sign.text if sign else "", fork.question))
        place = {"yes": fork.if_yes, "no": fork.if_no, "not known": fork.if_unknown}[answer]
    return Path(symptom, steps, symptom.leaves.get(place, ""))


def _answer(fork: Fork, signs: Signs) -> tuple[Answer, Sign | None]:
    """The answer and the sign that gives it."""
    if fork.before is not None:
        found = signs.get(fork.sign)
        if found is None or not found.raised or found.onset is None:
            return "not known", None
        return ("yes" if found.onset < fork.before else "no"), found
    no, yes = _strongest(fork.no, signs), _strongest(fork.yes, signs)
    if no is not None and no.raised and (yes is None or yes.level <= no.level):
        return "no", no
    if yes is not None and yes.raised:
        return "yes", yes
    if no is not None and not fork.yes:
        return "yes", no
    if yes is not None and not fork.no:
        return "no", yes
    return "not known", None


def _strongest(names: Sequence[str], signs: Signs) -> Sign | None:
    """The sign with the highest level; among equals, a measured one."""
    found = [signs[name] for name in names if name in signs]
    return max(found, key=lambda sign: (sign.level, not sign.values.get("told")), default=None)


Kind = Literal["symptom", "wish", "handover"]
KINDS: tuple[Kind, ...] = ("symptom", "wish", "handover")
_NAME = r"\b(?:adamw?|nadam|radam|sgd|rmsprop|adagrad|adadelta|lion|muon)\b"
_RATE = r"(?:\blr|learning[ _-]rate)(?:\s+(?:of|is|at|with))?[\s:=]*\d[\de.^*-]*"
_OPTIMIZER = re.compile(rf"{_NAME}[^.;!?]{{0,40}}?{_RATE}|{_RATE}[^.;!?]{{0,20}}?{_NAME}", re.IGNORECASE)
_SIZES = {
    "batch-size": re.compile(r"batch[ _-]?size(?:\s+(?:of|is))?[\s:=]*(\d+)\b", re.IGNORECASE),
    "data-size": re.compile(
        r"\b(\d[\d,.]*\s*[km]?)\s+(?:training\s+)?(?:samples|images|examples|rows|sentences)\b", re.IGNORECASE
    ),
}
_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?=[\s%+,;.)]|$)")
_ROLE = {
    "train": re.compile(r"\btrain\w*", re.IGNORECASE),
    "validation": re.compile(r"\b(?:val|test|eval|dev|held|hold|unseen)\w*", re.IGNORECASE),
}
POINTS = 10.0  # points of accuracy between training and validation that are a gap
TIMES = 1.3  # and the same for a loss


@dataclass(frozen=True)
class Match:
    """Something that the words are about. `text` is the answer to a wish or a matter out of scope."""

    kind: Kind
    id: str
    found: str  # the pattern that was recognised
    text: str = ""
    command: str = ""
    decides: str = ""  # the question that decides on a wish
    facts: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading | None = None  # what exactly a symptom's words say


@dataclass(frozen=True)
class Saying:
    """A wish or a matter out of scope, as its file describes it."""

    id: str
    words: Sequence[str]
    answer: str
    command: str = ""
    decides: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    instead_of: Sequence[str] = ()
    shares: bool = False  # rests on words that a symptom rests on as well


@cache
def sayings(folder: str) -> tuple[Saying, ...]:
    """The files of `wishes` or `handovers`."""
    return tuple(Saying(**stated) for stated in tables(__package__, folder))


def recognise(text: str) -> list[Match]:
    """Everything that `text` is about, symptoms first."""
    words = words_of(_OPTIMIZER.sub(" ", text))  # "Adam with lr=0.1" asks for no optimizer: it is only mentioned
    if not words:
        return []
    found = [
        *_symptoms(words),
        *_sayings("wish", "wishes", [word for word in words if not word.tried]),
        *_sayings("handover", "handovers", words),
    ]
    kept = _kept(found)
    if _gap(text) and not any(match.id == "overfitting" for match in kept):
        overfitting = all_symptoms()["overfitting"]
        kept.insert(0, Match("symptom", overfitting.id, "training and validation", reading=overfitting.readings[0]))
    return sorted(kept, key=lambda match: KINDS.index(match.kind))


def heard(text: str) -> dict[str, str]:
    """Answers to questions that free text contains: {question: answer}."""
    words = words_of(text)
    found = {
        question.id: option.key
        for question in all_questions().values()
        for option in question.options
        if first(option.words, words)
    }
    named = _OPTIMIZER.search(text)
    if named:
        found["optimizer"] = named[0]
    for question_id, pattern in _SIZES.items():
        if size := pattern.search(text):
            found[question_id] = size[1]
    if gap := _gap(text):
        found["numbers"] = gap
    return found


def _symptoms(words: list[Word]) -> list[tuple[Find, Match, Sequence[str]]]:
    found = []
    for symptom in all_symptoms().values():
        said = [(place, reading) for reading in symptom.readings if (place := first(reading.words, words))]
        for place, reading in said:
            found.append((place, Match("symptom", symptom.id, place.pattern, reading=reading), symptom.instead_of))
    return found


def _sayings(kind: Kind, folder: str, words: list[Word]) -> list[tuple[Find, Match, Sequence[str]]]:
    found = []
    for s in sayings(folder):
        if place := first(s.words, words):
            place = replace(place, takes=frozenset()) if s.shares else place
            found.append(
                (place, Match(kind, s.id, place.pattern, s.answer, s.command, s.decides, s.facts), s.instead_of)
            )
    return found


def _kept(found: list[tuple[Find, Match, Sequence[str]]]) -> list[Match]:
    """What remains where words are used once, the most demanding patterns first."""
    ordered = sorted(found, key=lambda item: (-item[0].size, item[0].span))
    used: dict[int, str] = {}
    kept: list[Match] = []
    for place, match, _ in ordered:
        if any(used.get(at, match.id) != match.id for at in place.takes) or any(match.id == m.id for m in kept):
            continue
        used |= dict.fromkeys(place.takes, match.id)
        kept.append(match)
    over = {name for _, match, instead in found if match in kept for name in instead}
    return [match for match in kept if match.id not in over]


def _gap(text: str) -> str:
    """The two numbers of "train acc 99% val acc 65%", where training is far better; else empty."""
    plain = text.replace("_", " ")
    numbers = [float(found[1]) for found in _NUMBER.finditer(plain)]
    roles = {name: [found.start() for found in pattern.finditer(plain)] for name, pattern in _ROLE.items()}
    if len(numbers) != 2 or any(len(places) == 0 for places in roles.values()):
        return ""
    order = sorted(
        roles, key=lambda name: roles[name][0]
    )  # numbers follow in the order in which their owners are named
    found = dict(zip(order, numbers, strict=True))
    train, validation = found["train"], found["validation"]
    if re.search(r"loss|error", plain, re.IGNORECASE):
        return f"loss {train:g} and {validation:g}" if validation > TIMES * train else ""
    unit = 1.0 if max(train, validation) <= 1.0 else 100.0
    wide = (train - validation) * 100.0 / unit > POINTS and train <= unit
    return f"accuracy {train:g} and {validation:g}" if wide else ""


def telling_of(match: Match) -> Telling:
    """What a symptom's words state."""
    reading = match.reading
    return reading.tell() if reading is not None else Telling("", dict(match.facts))
