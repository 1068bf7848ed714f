"""Reads one line of a training script's output: names and numbers, the position in the epoch, the phase.

The name of a number is the text between it and the number before it, cut at delimiters: `iter 10: loss 3.2` gives
`iter` and `loss`. A fraction without a name, `50/735`, is a position. So is `[1, 2000]` at the start of a line. A word
like `val:` in front of several numbers puts all of them in that phase.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from ..meaning.names import PHASES, Phase, bare_phase, role_of, tokens

_QUOTES = str.maketrans(dict.fromkeys("'\"‘’“”`*", " "))
# Numbers that measure nothing: dates, times, versions, addresses, terminal colours.
_CLOCK = (
    r"(?<![\w.])(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]+\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?"
    r"|\b\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?(?=[ T]+\d{1,2}:\d\d)"
    r"|\b\d+:\d\d(?::\d\d)*(?:[.,]\d+)?"
)
_NOISE = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]"
    r"|^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w.-]+:\d+\]"  # glog: level, date, time, thread, file and line
    rf"|{_CLOCK}"
    r"|\b\d+\.\d+\.\d+(?:\.\d+)*\b"
    r"|\b0x[0-9a-fA-F]+\b"
)
_TIMES = re.compile(_CLOCK)
# `tensor(0.5)` and `np.float64(0.5)` are read as 0.5.
_WRAPPED = re.compile(r"\b(?:tensor|(?:np\.|numpy\.)?float\d*|(?:np\.|numpy\.)?array)\(\[?")
_POSSESSIVE = re.compile(r"(?<=\w)'s\b")  # "valid_1's l2"
# "> loss 2.3" in a quoted mail; "[loss]: 2.3"; "12.5 samples/sec accuracy=0.9"; "INFO Epoch[3]".
_CITED = re.compile(r"^(?:\s*>)+")
_NAME_IN_BRACKETS = re.compile(r"\[([A-Za-z_][\w .-]*)\](?=\s*[:=])")
_UNIT_OF_THE_LAST = re.compile(r"^\s*[A-Za-z]+/(?:s|sec|secs|second|step|it|iter|batch|epoch|min|h)\b\s+(?=[A-Za-z])")
_LOG_LEVEL = re.compile(
    r"^(?:(?:trace|debug|info|notice|warn|warning|error|critical|root|(?:stdout|stderr)(?: [FP]\b)?)\b[\s:]*)+",
    re.IGNORECASE,
)
_AT_K = re.compile(r"(?<=[A-Za-z])@(?=\d)")  # "Prec@1" is one name
# "D(x)" and "D(G(z))" are names.
_FUNCTION = re.compile(r"(?<!\w)[A-Za-z]\((?:[A-Za-z]|[A-Za-z]\([A-Za-z]\))\)")
# "2.34 → 2.31", "minibatches 0-99": the later number counts.
_EARLIER = re.compile(
    r"(?<![\w.])[-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)\s*(?:[-=]>|[→⟶➜])\s*(?=[-+]?\.?\d)"
    r"|(?<![\w.:/-])\d+-(?=\d+(?![\w.:/-]))"
)
# darknet puts names after numbers: "1000: 2.34, 2.56 avg loss, 0.001000 rate".
_DARKNET = re.compile(r"^\s*(\d+):\s*(\S+),\s*(\S+) avg(?: loss)?,\s*(\S+) rate.*")
# Apex numbers its scalers: "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0".
_APEX_SCALER = re.compile(r"\bloss scaler \d+ reducing (loss scale) to\b")
# So do torch's schedulers their groups: "Epoch 00189: reducing learning rate of group 0 to 2.5000e-04."
_RATE_OF_GROUP = re.compile(r"(?:\b(?:reducing|adjusting) )?\b(learning rate) of group (\d+) to\b", re.IGNORECASE)
# ESPnet joins names and numbers: "3epoch:train:101-200batch".
_ESPNET = re.compile(r"\b(\d+)epoch:(\w+)(?::\d+-(\d+)batch)?")
# Messages that the loss is non-finite: "Loss became infinite or NaN at iteration=167!", "Loss is nan, stopping".
_BROKE_DOWN = re.compile(
    r"\bloss\b[^:=|,\d]{0,30}\b(?:became|becomes|become|turned|went|has|hit|got|gone)\b[^:=|,\d]{0,30}\b(?:nan|inf|infin\w+)\b"
    r"|\bloss\b[^:=|,\d]{0,20}\b(?:infinite|not finite|non-?finite|invalid)\b"
    r"|\bloss is (?:nan|inf)\b.{0,12}(?:stop|abort|exit|terminat|skip|quit)"
    r"|\bloss(?:es|tensor)? (?:is|are) (?:nan|inf) or (?:nan|inf)\b"
    r"|\bdiverged with loss\s*[:=]?\s*(?:nan|inf)\b"
    r"|\b(?:nan|infinite|non-?finite|invalid)\b[^:=|,\d]{0,20}\bloss\b(?!\s*[:=\d])",
    re.IGNORECASE,
)
# Caffe prints the outputs of the training net below the loss. One of them is the loss of a single batch.
_NET_OUTPUT = re.compile(r"Train net output #\d+: (?=\w)")
BROKEN = "(broke down)"
RUNNING = " (running)"  # suffix of the name of an average that is printed in parentheses after a value
_NUMBER = (
    r"[-+]?(?:\d{1,3}(?:,\d{3}){1,5}(?:\.\d+)?(?![\d,])|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    r"|(?<!\bof )(?<!\bor )(?<!\bno )[-+]?(?:nan|inf(?:inity)?)(?![A-Za-z_0-9])"  # "number of nan iterations: 0"
)
_UNIT = r"(?:%|[GMKTkm]i?B?\b|(?:ms|us|s|sec|secs|seconds|min|mins|h|it/s|s/it|x)(?![A-Za-z_]))?"
_VALUE = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<value>{_NUMBER})(?:\s*/\s*(?P<of>\d+)(?![\d.]))?(?P<unit>{_UNIT})", re.IGNORECASE
)
_PHASES_ALTERNATIVES = "|".join(sorted(PHASES, key=len, reverse=True))
_ASIDE = re.compile(r"\(([^()\d]{1,30})\)")
_INDEX = re.compile(r"\s?[:=]\s*[-+]?[\d.]")  # "loss 1: 2.3": the number is part of the name of the next one
_COUNTED = re.compile(r"\s?(steps?|iters?|iterations?|updates?|epochs?)\s?[|:,;\])-]", re.IGNORECASE)  # "[100 steps | "
_DELIMITER = re.compile(r"[|,;\t\[\](){}<>·•▸»，；│]|\s-+\s|\s{3,}|[.:]\s+|:(?=[A-Za-z_])|->|=>|→")
_BEFORE_NUMBER = re.compile(r"(?:[-=]>|[ \t:=\[({,|~→⟶➜：])+$")  # "loss: ", "train loss -> "
_ENDINGS = frozenset(("is", "of", "was", "to", "now", "reached", "equals", "value"))
_PLACE = re.compile(r"^(.*\b)?(?:at|on|after|for)\s+(.+)$", re.IGNORECASE)
# "train/val loss 2.3 / 2.4": two numbers under one name.
_TWO_PHASES = re.compile(rf"(?<![\w/])({_PHASES_ALTERNATIVES})\s?/\s?({_PHASES_ALTERNATIVES})(?![\w/])", re.IGNORECASE)
_PHASE_WORD = re.compile(rf"(?<![\w./-])({_PHASES_ALTERNATIVES})(?![\w/-]|\.\w)|(saving dict)", re.IGNORECASE)
_PAIR_AT_START = re.compile(
    r"^\s*(?:[\[(]\s*)?(\d{1,15})\s*(?:[,\]][\s\[,]*(\d+)\s*[\])]|\|(\d+)\||\s(\d+)\s+(?=[A-Za-z_]+\s*[=:]))"
)
# "100 | loss 2.3": a count at the start of the line. Longer numbers are times.
_COUNT_AT_START = re.compile(r"^\s*(\d{1,8})\s*(?:[|:,;)]|\s-|\t)\s*(?=[A-Za-z])")
_THOUSANDS = frozenset(("K", "M", "k"))
_OF_TIME = frozenset(("ms", "s", "sec", "secs", "seconds"))
LONGEST_NAME, MOST_WORDS, LONGEST_GAP = 60, 6, 400


@dataclass
class Said:
    """What one line says."""

    values: dict[str, float] = field(default_factory=dict)
    epoch: float | None = None
    position: float | None = None
    of: float | None = None
    # The position is one in an evaluation, so the values are not final until the evaluation ends.
    evaluating: bool = False
    # The index in the line of each number, by its name; `epoch`, `position` and `of` have the keys `|epoch`,
    # `|position` and `|of`. None if the line was rewritten before reading.
    places: dict[str, int] | None = field(default_factory=dict)

    @property
    def has_step(self) -> bool:
        return any(role_of(name).kind == "step" for name in self.values)

    def place(self, what: str, at: int) -> None:
        if self.places is not None:
            self.places[f"|{what}"] = at


def _rate_of_group(found: re.Match[str]) -> str:
    """The name of that group's learning rate; the first group's is the run's."""
    return "lr:" if int(found[2]) == 0 else f"lr group{found[2]}:"


def said(line: str) -> Said | None:
    """Return what the line says, or None if it holds no number with a name and no position."""
    # Every substitution keeps the length of the line, so that `skeletons` finds the numbers in similar lines.
    text = _blank(_NOISE, _blank(_CITED, line))
    text = _NAME_IN_BRACKETS.sub(r" \1 ", text)
    text = _POSSESSIVE.sub("_ ", _blank(_WRAPPED, text)).translate(_QUOTES)
    text = _AT_K.sub("_", text)
    text = _FUNCTION.sub(lambda found: found[0].replace("(", "_").replace(")", "_"), text)
    text = _NET_OUTPUT.sub(lambda found: "train_net_".rjust(len(found[0])), text)
    text = _APEX_SCALER.sub(lambda found: f"{found[1]}:".rjust(len(found[0])), text)
    result = Said()
    if _RATE_OF_GROUP.search(text):
        text, result.places = _RATE_OF_GROUP.sub(_rate_of_group, text), None  # a number decides about the name
    rewritten = _ESPNET.sub(r"epoch \1: \2: batch \3", _DARKNET.sub(r"iteration \1, loss \2, avg loss \3, lr \4", text))
    if rewritten != text:
        text, result.places = rewritten, None
    text = _blank(_EARLIER, text)
    if broke := _BROKE_DOWN.search(text):
        result.values[BROKEN] = math.nan
        result.places = None
        text = text[: broke.start()] + " " * len(broke[0]) + text[broke.end() :]
    if pair := _PAIR_AT_START.match(text):
        result.epoch, result.position = float(pair[1]), float(pair[pair.lastindex or 2])
        result.place("epoch", pair.start(1))
        result.place("position", pair.start(pair.lastindex or 2))
        text = " " * pair.end() + text[pair.end() :]
    # ` * Acc@1 71.5 Loss 1.9`: the summary that PyTorch's recipes print below an evaluation.
    _Reading(result, text, summary=line.lstrip().startswith("* ")).read()
    if result.position is None and not result.has_step and (count := _COUNT_AT_START.match(text)):
        result.position = float(count[1])
        result.place("position", count.start(1))
    return result if result.values or result.position is not None or result.epoch is not None else None


def without_times(text: str) -> str:
    return _TIMES.sub(" ", text)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found[0]), text)


class _Reading:
    """Goes through the numbers of a line from left to right."""

    def __init__(self, result: Said, text: str, summary: bool = False) -> None:
        self.result = result
        self.text = text
        self.summary = summary
        self.phase: Phase = ""
        self.last = ""  # the name of the number before this one
        self.promised = ""  # "loss at step 10: 2.3": the name of the number after the step
        self.indexed = ""  # "loss 1": the name of the number after it
        self.phases: tuple[str, str] | None = None  # "train/val": the phases of a number and of the one after a slash

    def read(self) -> None:
        end = 0
        for match in _VALUE.finditer(self.text):
            gap = self.text[end : match.start()]
            end = match.end()
            name, others = self._name(gap)
            for other in others:
                self.phase = phase_in(other) or self.phase
            if not name and self.promised and gap.strip() in (":", "=", "is", "-"):
                name = self.promised
            name = self._of_two_phases(name, gap) or name
            if gap.lstrip().startswith("(") and bare_phase(name) and role_of(self.last).kind == "loss":
                name = f"{name} {self.last}"  # "loss 2.3 (val 2.4)"
            if self._is_index(name, match):
                self.indexed = f"{name} {match['value']}"
                continue
            name, self.indexed = self.indexed or name, ""
            if not name and not self.result.values and (counted := _COUNTED.match(self.text, match.end())):
                name = counted[1]
            self._take(name, match, average_of=self.last if gap.strip() == "(" else "")
            self.last = name
        if not self.phase and (phase := phase_in(self.text[end : end + 40])) in ("validation", "test"):
            self._rename({name: phased(name, phase) for name in self.result.values})
        if self.summary and not any(role_of(name).phase for name in self.result.values):
            self._rename({name: phased(name, "validation") for name in self.result.values})
        self._give_scores_the_phase_of_the_loss()

    def _is_index(self, name: str, match: re.Match[str]) -> bool:
        digits = match["value"].isdigit() and not match["unit"] and match["of"] is None
        measured = digits and role_of(name).kind in ("loss", "accuracy", "perplexity")
        return measured and bool(_INDEX.match(self.text, match.end()))

    def _of_two_phases(self, name: str, gap: str) -> str:
        """Return the name with one of two phases (`train/val loss: 2.3 / 2.4`), or "" if the line names no two."""
        if named := _TWO_PHASES.search(name):
            self.phases = named[1], named[2]
            return " ".join(f"{name[: named.start()]} {named[1]} {name[named.end() :]}".split())
        if self.phases is None:
            return ""
        first, second = self.phases
        if name and role_of(name).kind in ("loss", "accuracy", "perplexity") and not role_of(name).phase:
            return f"{first} {name}"  # the next pair of the line: "acc: 0.5 / 0.4"
        return self.last.replace(first, second, 1) if gap.strip() == "/" and first in self.last else ""

    def _give_scores_the_phase_of_the_loss(self) -> None:
        """Give an accuracy without a phase the phase of the line's loss: `val Loss: 2.3 Acc: 0.4`.

        Beside the same score with a phase (`accuracy: 0.5 - val_accuracy: 0.4`) it is that of training.
        """
        roles = {name: role_of(name) for name in self.result.values}
        phases = {role.phase for role in roles.values() if role.kind == "loss" or role.phase}
        if len(phases) == 1 and (phase := phases.pop()) in ("validation", "test"):
            named = {role.kind for role in roles.values() if role.phase}
            scores = [
                n for n, role in roles.items() if role.kind in ("accuracy", "perplexity") and role.kind not in named
            ]
            self._rename({name: phased(name, phase) for name in scores})

    def _rename(self, names: dict[str, str]) -> None:
        result = self.result
        result.values = {names.get(name, name): value for name, value in result.values.items()}
        if result.places is not None:
            result.places = {names.get(name, name): at for name, at in result.places.items()}

    def _name(self, gap: str) -> tuple[str, list[str]]:
        """Return the name of the number that follows `gap`, and the other phrases in `gap`."""
        gap = _UNIT_OF_THE_LAST.sub("", gap[-LONGEST_GAP:])
        others = _ASIDE.findall(gap)
        chunks = _DELIMITER.split(_BEFORE_NUMBER.sub("", _ASIDE.sub(" ", gap)))
        others += chunks[:-1]
        name = _LOG_LEVEL.sub("", _without_ending(chunks[-1].strip(" :=-.#>~/")))
        if place := _PLACE.match(name):
            # "validation loss at iteration 7000": the end of the phrase names the number, its beginning the phase.
            name = place[2]
            what = (place[1] or (chunks[-2] if len(chunks) > 1 else "") or "").strip()
            others.append(what)
            self.promised = what if role_of(what).kind in ("loss", "accuracy") else ""
        words = name.split()
        if len(words) > MOST_WORDS or len(name) > LONGEST_NAME:
            name = " ".join(words[-3:])[-LONGEST_NAME:]
        name = " ".join(word.rstrip("_") for word in name.split())
        return (name if any(map(str.isalpha, name)) else ""), others

    def _take(self, name: str, match: re.Match[str], average_of: str) -> None:
        value, of = number_of(match["value"]), match["of"]
        kind = role_of(name).kind if name else "other"
        rounded = match["unit"][:1] in _THOUSANDS
        if kind == "loss" and match["unit"] in _OF_TIME:
            name = f"{name} {match['unit']}"  # "batch_cost: 0.2s"
            kind = role_of(name).kind
        if kind in ("epoch", "step", "seen") and rounded:
            return  # "step:12K" stands for 12,000 to 12,999: too coarse to order rows
        if kind == "epoch" or self._is_epoch_after_phase(name, match):
            self.phase = phase_in(name) or self.phase  # "eval epoch: 3, loss: 2.4"
            self.result.epoch = value
            self.result.place("epoch", match.start("value"))
        elif of is not None and kind == "other" and (phase := phase_in(name)):
            self.phase = phase  # `Test: [10/97]`, `valid on subset 10 / 97`: a position in an evaluation
            self._position(match)
        elif name:
            self.phase = (phase_in(name) if kind == "other" else "") or self.phase
            self._measured(phased(name, self.phase), kind, match)
        elif of is not None:
            self._position(match)
        elif average_of:
            self._measured(phased(average_of, self.phase) + RUNNING, "other", match)
        elif self.result.epoch is None and not self.result.values and _bracketed(match):
            self.result.epoch = value
            self.result.place("epoch", match.start("value"))

    def _measured(self, name: str, kind: str, match: re.Match[str]) -> None:
        result, value, of = self.result, number_of(match["value"]), match["of"]
        if name in result.values:
            return
        result.values[name] = value
        if result.places is not None:
            result.places[name] = match.start("value")
        if kind == "accuracy" and of is not None and float(of) > 0:
            result.values[name] = value / float(of)
            result.places = None
        elif of is not None and kind == "step" and result.of is None:
            result.of = float(of)
            result.place("of", match.start("of"))

    def _position(self, match: re.Match[str]) -> None:
        result, value, of = self.result, number_of(match["value"]), float(match["of"])
        if result.epoch is not None and result.position is not None:
            return
        if result.position is not None and result.places is not None:
            result.place("epoch", result.places["|position"])
        result.place("position", match.start("value"))
        result.place("of", match.start("of"))
        result.evaluating = self.phase in ("validation", "test")
        if result.epoch is None and result.position is not None and result.of is not None:
            # `(0/19)(100/24681)`: first the epoch, then the position in it.
            result.epoch, result.position, result.of = result.position, value, of
        else:
            result.position, result.of = value, of

    def _is_epoch_after_phase(self, name: str, match: re.Match[str]) -> bool:
        """Return whether the number is an epoch after a phase: `Train: 0 [  50/1251 …`."""
        follows = self.text[match.end() : match.end() + 3].lstrip()
        return name.lower() in PHASES and not match["unit"] and follows.startswith("[")


def _without_ending(name: str) -> str:
    """Remove words and signs that only lead to the number, such as `is now` in `loss is now`."""
    while name:
        shorter = name.rstrip(" \t:=~@#≈-")
        words = shorter.rsplit(None, 1)
        if words and words[-1].lower() in _ENDINGS:
            shorter = words[0] if len(words) > 1 else ""
        if shorter == name:
            break
        name = shorter
    return name.strip(" :=-")


def _bracketed(match: re.Match[str]) -> bool:
    text = match.string
    return text[max(0, match.start() - 1) : match.start()] == "[" and text[match.end() : match.end() + 1] == "]"


def number_of(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def phase_in(phrase: str) -> Phase:
    """Return the phase that a phrase names, or "". Words inside file names and identifiers do not count."""
    # TensorFlow's estimators announce an evaluation with "Saving dict".
    found: set[Phase] = {PHASES.get(word.lower(), "validation") for word, _ in _PHASE_WORD.findall(phrase)}
    return found.pop() if len(found) == 1 else ""


def phased(name: str, phase: Phase) -> str:
    """Put the phase of an evaluation in front of a name that can have one and has none."""
    role = role_of(name)
    if phase not in ("validation", "test") or role.phase or role.kind in ("step", "epoch", "seen", "lr"):
        return name
    return f"{phase} {name}" if tokens(name) else name
