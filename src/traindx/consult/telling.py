"""Turns answers into a record, under the same names that observers and readers write (docs/record.md).

The fact `told` separates what was said from what was measured. Pasted losses are read by the same readers as any log.
Answers never replace what a record already contains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..readers import ReaderError, principal, read_text
from ..record import Run, RunBuilder
from .questions import AnswerError, Telling

SOURCE = "what you said"
KIND = "interview"
# Facts that are lists of entries, with the defaults of an entry. Answers fill in the first entry.
ENTRIES: Mapping[str, Mapping[str, Any]] = {
    "optimizers": {"steps": 1},
    "loaders": {"role": "train"},
    "models": {"modules": []},
    "losses": {"phase": "train"},
}
SERIES = ("grad_norm",)  # facts that become series over steps
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|nan|inf(?:inity)?)(?![\w.])", re.IGNORECASE)
_PLAIN = re.compile(
    rf"\s*(?:\[|\()?\s*{_NUMBER.pattern}(?:[\s,;]+{_NUMBER.pattern})*[\s,;]*(?:\]|\))?\s*", re.IGNORECASE
)


def told_run(tellings: Iterable[Telling], base: Run | None = None) -> Run:
    """The record of an interview; with `base`, a copy of that run with the answers added."""
    facts: dict[str, Any] = {}
    signs: dict[str, Any] = {}
    builder = RunBuilder(base.source if base else SOURCE, base.kind if base else KIND)
    held = _copy(base, builder) if base else set()
    for telling in tellings:
        for key, value in telling.facts.items():
            facts[key] = {**facts.get(key, {}), **value} if key in ENTRIES else value
        signs |= telling.signs
        if telling.pasted and base is None:
            held |= _copy(read_pasted(telling.pasted), builder)
    facts = {key: value for key, value in facts.items() if key not in held}
    _batches(facts)
    names = set()
    for key, value in facts.items():
        names.add(key)
        if key in SERIES:
            builder.series(key, range(len(value)), value)
        elif key in ENTRIES:
            builder.fact(key, [{**ENTRIES[key], **value}])
        else:
            builder.fact(key, value)
    loader = facts.get("loaders", {})
    if "batch_size" in loader and "batch_size" not in held:
        builder.series("batch_size", [0], [loader["batch_size"]])
        names.add("batch_size")
    rate = facts.get("optimizers", {}).get("groups", [{}])[0].get("lr")
    if rate is not None and "lr" not in held:
        builder.series("lr", [0], [rate])
        names.add("lr")
    if signs or names:
        builder.fact("told", {"facts": sorted(names), "signs": signs})
    return builder.build()


def read_pasted(text: str) -> Run:
    """The run in pasted log lines. Plain numbers are read as training losses in order.

    Raises `AnswerError` (one line).
    """
    if _PLAIN.fullmatch(text):
        values = [float(found) for found in _NUMBER.findall(text)]
        text = "\n".join(f"step {i} loss: {value:.12g}" for i, value in enumerate(values))
    try:
        run = principal(read_text(f"{text}\n", "this"))
    except ReaderError as error:
        raise AnswerError(f"{error}: paste lines of your log, or the losses as plain numbers") from None
    if not run.series("loss/train") and not run.series("loss/validation"):
        raise AnswerError("no loss was found in these lines: paste lines with a loss, or plain numbers")
    return run


def _copy(run: Run, builder: RunBuilder) -> set[str]:
    """Copy all of `run` into the builder. Returns the names of its facts and series."""
    for key, value in run.facts.items():
        builder.fact(key, value)
    builder.measurements_of(run)
    for event in run.events:
        builder.event(event.kind, event.step, **event.data)
    return {*(key for key, value in run.facts.items() if value), *run.series_names}


def _batches(facts: dict[str, Any]) -> None:
    """Add the number of batches per epoch, if both sizes are known."""
    loader = facts.get("loaders", {})
    if loader.get("size") and loader.get("batch_size"):
        loader["batches"] = math.ceil(loader["size"] / loader["batch_size"])


__all__ = ["KIND", "SOURCE", "read_pasted", "told_run"]
