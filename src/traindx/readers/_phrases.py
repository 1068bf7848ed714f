"""What one line of a training script's output says: names and numbers, where in the epoch, in which phase.

A number's name is the text between the number before and it, cut at delimiters: `iter 10: loss 3.2` gives
`iter` and `loss`. A fraction `50/735` without a name of its own is a position; so is `[1, 2000]` at the start.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from ._columns import PHASES, Phase, role_of, tokens

_QUOTES = str.maketrans(dict.fromkeys("'\"‘’“”`*"))
# Dates, times, versions, addresses, terminal colours: numbers that measure nothing.
_NOISE = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]"
    r"|\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]+\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?Z?)?"
    r"|\b\d{1,2}[/-]\d{1,2}(?:[/-]\d{2,4})?(?=[ T]+\d{1,2}:\d\d)"
    r"|\b\d+:\d\d(?::\d\d)*(?:[.,]\d+)?"
    r"|\b\d+\.\d+\.\d+(?:\.\d+)*\b"
    r"|\b0x[0-9a-fA-F]+\b"
)
# `tensor(0.5)` and `np.float64(0.5)` are their number; `Prec@1` is one name.
_WRAPPED = re.compile(r"\b(?:tensor|(?:np\.|numpy\.)?float\d*|(?:np\.|numpy\.)?array)\(\[?")
_AT_K = re.compile(r"(?<=[A-Za-z])@(?=\d)")
# "Loss became infinite or NaN at iteration=167!", "Loss is nan, stopping": last words rather than a value.
_BROKE_DOWN = re.compile(
    r"\bloss\b[^:=|,\d]{0,30}\b(?:became|becomes|become|turned|went|has|hit|got|gone)\b[^:=|,\d]{0,30}\b(?:nan|inf|infin\w+)\b"
    r"|\bloss\b[^:=|,\d]{0,20}\b(?:infinite|not finite|non-?finite|invalid)\b"
    r"|\bloss is (?:nan|inf)\b.{0,12}(?:stop|abort|exit|terminat|skip|quit)"
    r"|\b(?:nan|infinite|non-?finite|invalid)\b[^:=|,\d]{0,20}\bloss\b(?!\s*[:=\d])",
    re.IGNORECASE,
)
BROKEN = "(broke down)"
_NUMBER = (
    r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
    r"|[-+]?(?:nan|inf(?:inity)?)(?![A-Za-z_0-9])"
)
_UNIT = r"(?:%|[GMKTkm]i?B?\b|(?:ms|us|s|sec|secs|seconds|min|mins|h|it/s|s/it|x)(?![A-Za-z_]))?"
_VALUE = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<value>{_NUMBER})(?:\s*/\s*(?P<of>\d+)(?![\d.]))?(?P<unit>{_UNIT})", re.IGNORECASE
)
_DELIMITER = re.compile(r"[|,;\t\[\](){}<>]|\s-+\s|\s{3,}|\.\s|:\s(?=\S+\s*[:=])|->|=>|→")
_ENDING = re.compile(r"(?:[\s:=~@#≈]|\b(?:is|of|was|at|to|now|reached|equals|value)\s*$)+$", re.IGNORECASE)
_PLACE = re.compile(r"^(.*\b)?(?:at|on|after)\s+(.+)$")
LONGEST_NAME = 60
MOST_WORDS = 6
_PAIR_AT_START = re.compile(r"^\s*[\[(]\s*(?P<epoch>\d+)\s*[,\]][\s\[,]*(?P<position>\d+)\s*[\])]")
_BAR = re.compile(r"\d+%\||\d+/\d+ \[[=>.━╸-]+|[█▏▎▍▌▋▊▉━]")


@dataclass
class Said:
    """One line's content."""

    values: dict[str, float] = field(default_factory=dict)
    epoch: float | None = None
    position: float | None = None
    of: float | None = None
    phase: Phase = ""
    before: str = ""  # what stands before the first number that has a name: a host, a logger
    bar: bool = False


def said(line: str) -> Said | None:
    """What the line says, or None where it holds no number with a name and no position."""
    text = _AT_K.sub("", _WRAPPED.sub("", _NOISE.sub(" ", line).translate(_QUOTES)))
    result = Said(bar=bool(_BAR.search(line)))
    if broke := _BROKE_DOWN.search(text):
        result.values[BROKEN] = math.nan
        text = text[: broke.start()] + text[broke.end() :]
    if pair := _PAIR_AT_START.match(text):
        result.epoch, result.position = float(pair["epoch"]), float(pair["position"])
        text = text[pair.end() :]
    end, last = 0, ""
    for match in _VALUE.finditer(text):
        name, others = _name(text[end : match.start()])
        for other in others:
            result.phase = result.phase or _phase_in(other)
        average_of = last if text[end : match.start()].strip() == "(" else ""
        end = match.end()
        _take(result, name, match, average_of)
        if name and not last:
            result.before = result.before or line[: max(line.find(name), 0)]
        last = name
    result.phase = result.phase or _phase_in(text[end:][:40])
    if result.phase in ("validation", "test"):
        result.values = {_phased(name, result.phase): value for name, value in result.values.items()}
    if not result.values and result.position is None and result.epoch is None:
        return None
    return result


def _take(result: Said, name: str, match: re.Match[str], average_of: str) -> None:
    value = _float(match["value"])
    of = match["of"]
    kind = role_of(name).kind if name else "other"
    if kind == "epoch":
        result.epoch = value
        if of and value != math.floor(value):
            result.epoch = None
    elif not name:
        if of is not None:
            if result.epoch is None and result.position is not None and result.of is not None:
                result.epoch, result.position, result.of = result.position, value, float(of)
            elif result.position is None or result.of is None:
                result.position, result.of = value, float(of)
        elif average_of and f"{average_of} (avg)" not in result.values:
            result.values[f"{average_of} (avg)"] = value
        elif result.epoch is None and not result.values and match["unit"] == "" and _bracketed(match):
            result.epoch = value
    elif name not in result.values:
        hits = kind == "accuracy" and of is not None and float(of) > 0
        result.values[name] = value / float(of) if hits else value
        if of is not None and kind == "step":
            result.of = result.of or float(of)


def _bracketed(match: re.Match[str]) -> bool:
    text = match.string
    return text[max(0, match.start() - 1) : match.start()] == "[" and text[match.end() : match.end() + 1] == "]"


def _float(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return math.nan


def _name(gap: str) -> tuple[str, list[str]]:
    """The name of the number that follows `gap`, and the other phrases in it."""
    gap = gap[-400:]
    chunks = _DELIMITER.split(gap)
    # `loss_train, 0.2` and `Epoch: [5]`: the name stands one delimiter earlier.
    while (
        len(chunks) > 1
        and not any(map(str.isalpha, chunks[-1]))
        and not chunks[-1].strip(" :=")
        and len(chunks[-1]) < 3
    ):
        ended = gap.rstrip(" :=[({,\t")
        chunks = _DELIMITER.split(ended)
        break
    name = _ENDING.sub("", chunks[-1].strip(" :=-.#>~█▏▎▍▌▋▊▉")).strip(" :=-.#>")
    while (shorter := _ENDING.sub("", name).strip(" :=")) != name:
        name = shorter
    words = name.split()
    if len(words) > MOST_WORDS or len(name) > LONGEST_NAME:
        words = words[-3:]
        name = " ".join(words)[-LONGEST_NAME:]
    if not any(map(str.isalpha, name)):
        name = ""
    others = chunks[:-1]
    if found := _PLACE.match(name):
        # "validation loss at iteration 7000": the phrase names the phase, its end the number.
        others.append(found[1])
        name = found[2]
    opened = name.split("(")[0].strip() if name else ""
    return opened or name, others


def _phase_in(phrase: str) -> Phase:
    found = {PHASES[word] for word in tokens(phrase) if word in PHASES}
    return found.pop() if len(found) == 1 else ""


def _phased(name: str, phase: Phase) -> str:
    role = role_of(name)
    if role.phase or role.kind in ("step", "epoch", "seen", "lr"):
        return name
    return f"{phase} {name}"
