"""Finds patterns in what people say.

A pattern is one or more parts joined by ` & `, which may stand anywhere in the text. A part is a phrase (`memory
leak`), or a set of meanings in capitals with words (`LOSS !FALL`, `VAL_LOSS RISE`, `same class`), which must stand
close together in one clause, in any order (`MODEL .. too small`: in this order). `!` demands that the word is denied:
"the loss does not go down" is `LOSS !FALL`, and never `LOSS FALL`. A trailing * stands for any ending; slips of the
pen are forgiven in long words.

"Validation loss" is another thing than "loss": a loss or an accuracy that belongs to validation has the meaning
VAL_LOSS or VAL_ACC alone, and bare validation ("but validation goes up") the meaning VAL. A clause that names nothing
speaks of what the clause before it named: "the loss was fine and then exploded", "perplexity fell, now it is flat".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import accumulate, groupby, pairwise, product

from ..toml import table

MOST_WORDS = 150
ORDERED = ".."
REACH = 5  # words that may stand between two words of one part
DENIED_WITHIN = 4  # words between a denial and what it denies
BELONGS = 3  # words between validation and its loss
HUGE, TINY, MOSTLY_IDLE = 1e5, 1e-6, 60.0
LONGEST = 5  # words of a phrase in the vocabulary
SURE = 6  # letters; shorter words are too similar to others to forgive a slip
COUNTED = 4  # letters; the plural of such words means what the singular does
CURVES = frozenset(("LOSS", "ACC", "VAL_LOSS", "VAL_ACC", "GRAD"))  # what later clauses go on to speak of
BARELY = 0.03  # a change by a smaller share is hardly one
_WORD = re.compile(r"[a-z]+'?[a-z]*|\d+(?:\.\d+)?(?:e[-+]?\d+)?|[.,;:!?()]")


@dataclass
class Word:
    text: str
    clause: int
    denied: bool = False
    absent: bool = False  # denied as a thing: "no NaN anywhere"
    tried: bool = False  # in a clause that says what was tried already
    meanings: set[str] = field(default_factory=set)
    covers: int = 1  # words of the phrase that begins here


@dataclass(frozen=True)
class Find:
    """Where a pattern was found: the words that no other unit may use, all its words, and how closely they stand."""

    pattern: str
    takes: frozenset[int]
    words: frozenset[int]
    size: int  # how much the pattern demands

    @property
    def span(self) -> int:
        return max(self.words) - min(self.words) + 1


@cache
def _stated() -> dict[str, dict[str, list[str]]]:
    return table(__package__, "vocabulary.toml")


@cache
def grammar(kind: str) -> frozenset[str]:
    """The little words of one kind, such as denials."""
    return frozenset(_stated()["grammar"][kind])


@cache
def vocabulary() -> tuple[dict[tuple[str, ...], frozenset[str]], frozenset[str], frozenset[str]]:
    """The meanings of each word or phrase, the names of those that a denial turns round, and of those that name
    things."""
    stated = {kind: group for kind, group in _stated().items() if kind != "grammar"}
    found: dict[tuple[str, ...], frozenset[str]] = {}
    for group in stated.values():
        for meaning, words in group.items():
            for word in words:
                spelled = tuple(split(word.lower()))
                found[spelled] = found.get(spelled, frozenset()) | {meaning}
    return found, frozenset(stated["predicates"]), frozenset(stated["subjects"]) | CURVES


def split(text: str) -> list[str]:
    """The words of a pattern or phrase; a star and a leading ! stay."""
    return [part.replace("'", "") for part in re.findall(r"!?[\w'.]+\*?", text.replace("-", " ")) if part != ORDERED]


def words_of(text: str) -> list[Word]:
    """The words of a text with their clauses, meanings and denials."""
    plain = re.sub(
        r"(?<!\de)-", " ", text.lower().replace("’", "'").replace("`", "'").replace("_", " ").replace("=", " ")
    )
    plain = plain.replace("%", " percent ")
    plain = re.sub(r"([a-z])\1{2,}", r"\1", plain)
    spelled, clause = [], 0
    for part in _WORD.findall(plain):
        if part in ".,;:!?()":
            clause += 1
        else:
            word = part.replace("'", "")
            clause += word in grammar("BREAKS")
            spelled.append(Word(word, clause))
    del spelled[MOST_WORDS:]
    _give_meanings(spelled)
    _give_size(spelled)
    _give_course(spelled)
    _belong(spelled)
    _carry_on(spelled)
    _deny(spelled)
    _note_what_is_done(spelled)
    return spelled


def find(pattern: str, words: Sequence[Word]) -> Find | None:
    """The closest place where the pattern stands."""
    takes: set[int] = set()
    places: set[int] = set()
    size = 0
    for part in pattern.split(" & "):
        free = (chosen for chosen in _part(part, words) if not takes & _taken(part, chosen))
        found = min(free, key=lambda chosen: max(chosen) - min(chosen), default=None)
        if found is None:
            return None
        items = split(part)
        size += len(items)
        places |= set(found)
        takes |= _taken(part, found)
    whole = {at + more for at in takes for more in range(words[at].covers)}  # with the rest of the phrases
    return Find(pattern, frozenset(whole), frozenset(places), size)


def first(patterns: Iterable[str], words: Sequence[Word]) -> Find | None:
    """The pattern that demands most and stands closest."""
    found = [match for pattern in patterns if (match := find(pattern, words)) is not None]
    return min(found, key=lambda match: (-match.size, match.span), default=None)


def _part(part: str, words: Sequence[Word]) -> Iterator[list[int]]:
    items = split(part)
    if not any(item.lstrip("!").isupper() for item in items):  # none is a meaning
        yield from _phrase(items, words)
        return
    candidates = [[at for at, word in enumerate(words) if _fits(item, word)] for item in items]
    for chosen in product(*candidates):
        ordered = sorted(chosen)
        if ORDERED in part and list(chosen) != ordered:
            continue
        if len(set(chosen)) < len(chosen) or len({words[at].clause for at in chosen}) > 1:
            continue
        gaps = (b - (a + words[a].covers) for a, b in pairwise(ordered))
        if all(gap <= REACH for gap in gaps):
            yield list(chosen)


def _phrase(items: Sequence[str], words: Sequence[Word]) -> Iterator[list[int]]:
    for start in range(len(words) - len(items) + 1):
        given = words[start : start + len(items)]
        denied = items[0].startswith("!")
        if (given[0].denied if denied else not given[0].absent) and all(
            _spelled(i.lstrip("!"), w.text) for i, w in zip(items, given, strict=True)
        ):
            yield list(range(start, start + len(items)))


def _fits(item: str, word: Word) -> bool:
    denied, name = item.startswith("!"), item.lstrip("!")
    if name.isupper():
        return name in word.meanings and (name not in vocabulary()[1] or word.denied == denied)
    return _spelled(name, word.text) and (word.denied == denied or name in grammar("LITTLE"))


def _taken(part: str, found: Sequence[int]) -> set[int]:
    """The words that no other pattern may use: all but subjects."""
    names = [item.lstrip("!") for item in split(part)]
    own = {at for at, name in zip(found, names, strict=True) if not name.isupper() or name in vocabulary()[1]}
    return own or set(found)


def _give_meanings(words: list[Word]) -> None:
    known = vocabulary()[0]
    for at, word in enumerate(words):
        for length in range(LONGEST, 0, -1):
            given = tuple(w.text for w in words[at : at + length])
            if len(given) < length:
                continue
            meanings = _known(given) if length == 1 else known.get(given)
            if meanings:
                word.meanings |= meanings
                word.covers = max(word.covers, length)


@lru_cache(maxsize=4096)
def _known(given: tuple[str]) -> frozenset[str]:
    known = vocabulary()[0]
    found: frozenset[str] = known.get(given, frozenset())
    for spelled, meanings in known.items():
        if len(spelled) == 1 and spelled[0].endswith("*") and _spelled(spelled[0], given[0], exactly=True):
            found |= meanings
    if found or len(given[0]) < COUNTED:
        return found
    for spelled, meanings in known.items():
        if len(spelled) == 1 and _spelled(spelled[0], given[0]):
            found |= meanings
    return found


def _give_size(words: list[Word]) -> None:
    """Numbers speak too: a gradient of 1e9 is huge, one of 1e-8 tiny, and a GPU at 15 % mostly idle."""
    for at, word in enumerate(words):
        if not word.text[0].isdigit():
            continue
        value = float(word.text)
        word.meanings.add("NUMBER")
        if value >= HUGE:
            word.meanings.add("HIGH")
        elif 0.0 < value <= TINY:
            word.meanings.add("VANISH")
        elif value <= MOSTLY_IDLE and at + 1 < len(words) and words[at + 1].text == "percent":
            word.meanings.add("IDLE")


def _give_course(words: list[Word]) -> None:
    """ "From 4.1 to 4.0" is a fall and a slow one, "by 0.001" something slow."""
    values = [float(word.text) if "NUMBER" in word.meanings else None for word in words]
    for at, word in enumerate(words[:-1]):
        before, after = values[at + 1], values[at + 3] if at + 3 < len(words) else None
        if word.text == "by" and before is not None and before < BARELY:
            word.meanings.add("SLOW")
        if word.text == "from" and before is not None and after is not None and words[at + 2].text == "to":
            words[at + 2].meanings.add("FALL" if after < before else "RISE")
            if abs(after - before) < BARELY * max(before, after):
                word.meanings.add("SLOW")


def _belong(words: list[Word]) -> None:
    """Give a loss or an accuracy of validation its own meaning."""
    for at, word in enumerate(words):
        for noun in ("LOSS", "ACC"):
            if noun not in word.meanings:
                continue
            owner = _owner(words, at)
            if owner is not None:
                word.meanings = {f"VAL_{noun}"}
                words[owner].meanings = {"VALS"}
    for word in words:
        if "VAL" in word.meanings:
            word.meanings.add("VALS")


def _carry_on(words: list[Word]) -> None:
    """Give a clause that names nothing the curve spoken of before it: its pronoun means that, or a word left unsaid."""
    curve: set[str] = set()
    parts = accumulate(word.text == "and" for word in words)  # what follows "and" may be a clause
    for _, said in groupby([*zip(words, parts, strict=True)], key=lambda pair: (pair[0].clause, pair[1])):
        here = [word for word, _ in said]
        pronoun = next((word for word in here if word.text in grammar("PRONOUNS")), None)
        named = [word.meanings & vocabulary()[2] for word in here if word is not pronoun]
        if any(named):
            curve = next((meanings & CURVES for meanings in reversed(named) if meanings & CURVES), set())
        elif curve and pronoun is not None:
            pronoun.meanings |= curve
        elif curve and any(word.meanings & vocabulary()[1] for word in here):
            words.insert(words.index(here[0]), Word("", here[0].clause, meanings={*curve}))


def _owner(words: Sequence[Word], at: int) -> int | None:
    """The word of validation that the noun at this place belongs to."""
    clause = words[at].clause
    for before in range(at - 1, max(-1, at - 1 - BELONGS), -1):
        if words[before].clause != clause or "TRAIN" in words[before].meanings:
            break
        if words[before].meanings & {"VAL", "VALS"}:
            return before
        if words[before].meanings & {"FALL", "RISE", "STILL", "LOW", "HIGH"} or words[before].text in (
            "than",
            "and",
            "or",
        ):
            break
    if at + 1 < len(words) and words[at + 1].text in ("on", "of", "for", "in", "during"):
        for after in range(at + 2, min(len(words), at + 5)):
            if words[after].clause == clause and "VAL" in words[after].meanings:
                return after
            if "TRAIN" in words[after].meanings:
                return None
    return None


def _deny(words: list[Word]) -> None:
    for at, word in enumerate(words):
        for before in range(at - 1, max(-1, at - 1 - DENIED_WITHIN), -1):
            if words[before].clause != word.clause:
                break
            if words[before].text in grammar("DENIALS"):
                word.denied = word.absent = True
            elif words[before].text in grammar("FAILINGS"):
                word.denied = True


def _note_what_is_done(words: list[Word]) -> None:
    """Mark what somebody says that they do or have tried: no wish stands there."""
    for at, word in enumerate(words):
        clause = [other for other in words if other.clause == word.clause]
        spoken = {other.text for other in clause}
        helpless = any(other.text in grammar("HELP") and other.absent for other in clause)
        before = [other.text for other in words[:at] if other.clause == word.clause]
        in_use = any(b in grammar("DONE") or (b == "use" and {"i", "we"} & {*before}) for b in before)
        word.tried = (
            helpless or ("tried" in spoken and "you" not in spoken) or (in_use and not spoken & grammar("ASKED"))
        )


@lru_cache(maxsize=65536)
def _spelled(wanted: str, given: str, exactly: bool = False) -> bool:
    """Whether the word is the wanted one, begins with it (`oscillat*`), or has one slip in a long word."""
    stem = wanted.rstrip("*")
    if given == stem or (wanted.endswith("*") and given.startswith(stem)):
        return True
    if min(len(stem), len(given)) >= COUNTED and stem.removesuffix("s") == given.removesuffix("s"):
        return True
    if exactly or min(len(stem), len(given)) < SURE or stem[0] != given[0]:
        return False
    forms = {given} if not wanted.endswith("*") else {given[: len(stem) + more] for more in (-1, 0, 1)}
    return any(_one_slip(stem, form) for form in forms)


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter is missing, doubled, wrong or swapped with its neighbour."""
    if abs(len(one) - len(other)) > 1:
        return False
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at + 2 :] == other[at + 2 :] and one[at : at + 2] == other[at : at + 2][::-1]
    return one[at + 1 :] == other[at + 1 :] or swapped
