"""Series over steps, marks on their axis, and the time and memory of a step, in packed arrays."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ....diagnosis import Diagnosis
from ....record import Event, Run, Series
from ....record.types import FloatArray, IntArray
from ....toml import table
from ....wording import num
from ..._charts import charts, extent, networks, spans_decades

# What the page says for what a record names, and where on it a sign can be seen.
WORDS_OF: dict[str, dict[str, Any]] = table(__package__, "words.toml")
LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).tiny)
LONG = 50_000  # points
FINE, COARSE, TABLE = 23, 13, 10  # bits of the mantissa: 7, 4 and 3 decimal digits


def packed(series: Series) -> dict[str, Any]:
    """`{"n", "steps", "values"}` of a series, sorted by step."""
    steps, values = series.steps, series.values
    if len(steps) > 1 and np.any(np.diff(steps) < 0):
        order = np.argsort(steps, kind="stable")
        steps, values = steps[order], values[order]
    digits = COARSE if len(values) > LONG else FINE
    return {"n": len(values), "steps": packed_steps(steps), "values": packed_values(values, digits)}


def packed_steps(steps: IntArray) -> dict[str, Any]:
    """`{"from", "by"}` of evenly spaced steps; else `{"from", "i32"}` with the differences."""
    if len(steps) == 0:
        return {"from": 0, "by": 1}
    gaps = np.diff(steps)
    if len(gaps) == 0 or (gaps == gaps[0]).all():
        return {"from": int(steps[0]), "by": int(gaps[0]) if len(gaps) else 1}
    return {"from": int(steps[0]), "i32": _text(np.clip(gaps, 0, 2**31 - 1).astype("<i4").tobytes())}


def packed_values(values: FloatArray, digits: int = FINE) -> str:
    """32-bit floats. Finite values stay finite, non-zero values stay non-zero, and NaN and Inf are kept."""
    finite, sign = np.isfinite(values), np.sign(values)
    held = np.where(finite, np.clip(values, -LARGEST, LARGEST), values)
    held = np.where(finite & (np.abs(held) < SMALLEST), sign * SMALLEST, held)
    bits = held.astype("<f4").view("<u4")
    if digits < FINE:
        cut = np.uint32(23 - digits)
        half = np.uint32(1) << (cut - np.uint32(1))
        rounded = np.where(finite, np.minimum(bits & 0x7FFFFFFF, 0x7F7FFFFF - half) + half, bits)
        bits = np.where(finite, (rounded >> cut << cut) | (bits & 0x80000000), bits).astype("<u4")
    return _text(bits.tobytes())


def _text(data: bytes) -> str:
    return b64encode(zlib.compress(data, 6)).decode("ascii")


MOST_RAW = 12  # further columns of a log


def curves(run: Run) -> dict[str, Any]:
    """The charts from top to bottom, then the further columns of a log, or what the framework logged."""
    drawn = [_chart(chart.key, chart.title, chart.lines, chart.log) for chart in charts(run)]
    shown = networks(run)
    further = [name for name in run.series_names if name.startswith(("raw/", "metric/")) and name not in shown]
    raw = [name for name in further if run.series(name)]
    for i, name in enumerate(raw[:MOST_RAW]):
        title, series = name.partition("/")[2], run.series(name)
        drawn.append(_chart(f"raw{i}", title, [(title, series)], spans_decades([series])))
    return {"extent": extent(run), "charts": drawn}


def _chart(key: str, title: str, lines: Iterable[tuple[str, Series]], log: bool) -> dict[str, Any]:
    told = [{"name": series.name, "label": label, **packed(series)} for label, series in lines]
    return {"key": key, "title": title, "log": log, "lines": told}


MOST_EVENTS = 200
MOST_OF_A_KIND = 40
WORDS: dict[str, str] = WORDS_OF["events"]
CRITICAL = ("nonfinite-loss", "nonfinite-gradient", "nonfinite-batch")


def marks(run: Run, diagnosis: Diagnosis) -> list[dict[str, Any]]:
    """The onsets of raised signs, then the events by step."""
    found = [
        {"step": int(sign.onset), "kind": "onset", "severity": sign.severity, "text": sign.text, "sign": sign.id}
        for sign in diagnosis.symptoms
        if sign.onset is not None and sign.severity != "info"
    ]
    return found + _events(run)


def _events(run: Run) -> list[dict[str, Any]]:
    counts: dict[str, int] = {}
    found = []
    for event in run.events:
        if event.step is None or event.kind not in WORDS:
            continue
        counts[event.kind] = counts.get(event.kind, 0) + 1
        if counts[event.kind] <= MOST_OF_A_KIND:
            severity = "critical" if event.kind in CRITICAL else "info"
            found.append({"step": int(event.step), "kind": event.kind, "severity": severity, "text": _sentence(event)})
    return sorted(found, key=lambda mark: int(mark["step"]))[:MOST_EVENTS]  # type: ignore[call-overload]


def _sentence(event: Event) -> str:
    """The event in words, with its most important value."""
    data = event.data
    words = WORDS[event.kind]
    if event.kind in ("loss-jump", "lr-changed"):
        return f"{words} from {_number(data, 'from')} to {_number(data, 'to')}"
    for key in ("value", "param", "module", "op", "observer"):
        if data.get(key) not in (None, ""):
            return f"{words}: {data[key]}"
    return words


def _number(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return num(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


PARTS = WORDS_OF["time"]
SETTLED = 0.1  # this first share of the timed steps is left out: they include warm-up costs


def timing(run: Run) -> dict[str, Any] | None:
    parts = [part for name, words in PARTS.items() if (part := _part(run.series(name), words))]
    memory = run.series("memory").finite
    if not parts and not memory:
        return None
    total = sum(float(part["seconds"]) for part in parts)
    measured = _typical(run.series("time/total")) or 0.0
    # The clock stands still while observers work, so what the parts leave of the step is the script's own code. On an
    # accelerator the parts only measure how long it takes to launch the work: the script waits for its end elsewhere.
    if measured > total:
        launched = run.kind == "observed" and run.devices != ("cpu",)
        label = "The rest of the script" + (" (also waits for the device)" if launched else "")
        parts.append({"name": "rest", "label": label, "seconds": measured - total})
        total = measured
    step = run.series("time/total").finite
    return {
        "parts": parts,
        "step_seconds": total,
        "sampled": len(step),
        "step_times": packed(step) if step else None,
        "memory": packed(_by_step(memory)) if memory else None,
    }


def _part(series: Series, words: str) -> dict[str, Any] | None:
    seconds = _typical(series)
    return None if seconds is None else {"name": series.name, "label": words, "seconds": seconds}


def _typical(series: Series) -> float | None:
    """The median after the first steps; unlike the mean, it ignores rare long pauses."""
    found = series.finite
    if not found:
        return None
    return float(np.median(found.values[int(SETTLED * len(found)) :]))


def _by_step(series: Series) -> Series:
    """The last value of each step. Memory is read about once a second, so a step can have several values."""
    last = np.append(series.steps[1:] != series.steps[:-1], True)
    return Series(series.name, series.steps[last], series.values[last])
