"""Follows one run: publishes new points as they arrive, and the whole report less often.

Points are read incrementally. The report needs the whole record and a diagnosis, which takes longer as the run grows.
After each report there is a pause of ten times its cost, so reports take at most a tenth of one core.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from ...diagnosis import diagnose
from ...record import RecordError, Run, Series
from ...record.reading import RecordFile
from ...record.writer import CHUNK_POINTS
from .._charts import extent
from ..page import report
from ..page.model.charts import packed
from .alerts import AlertBook, Hook

MOST_KEPT = 2000


@dataclass(frozen=True)
class Message:
    number: int
    kind: str  # full, points, report, alert or state
    content: dict[str, Any]


class Hub:
    """One publisher, many waiting viewers. `boot` distinguishes this server's numbers from those of an earlier one."""

    def __init__(self) -> None:
        self.boot = token_hex(4)
        self._condition = threading.Condition()
        self._messages: list[Message] = []
        self._number = 0
        self._complete: tuple[int, dict[str, Any]] | None = None

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        with self._condition:
            self._number += 1
            self._messages = [*self._messages[-MOST_KEPT + 1 :], Message(self._number, kind, content)]
            self._condition.notify_all()

    def complete(self, report: dict[str, Any]) -> None:
        """Store the whole report, with which new viewers start. Drop the messages before the previous report."""
        with self._condition:
            before = self._complete[0] if self._complete else 0
            self._complete = (self._number, report)
            self._messages = [message for message in self._messages if message.number > before]
            self._condition.notify_all()

    def latest(self, wait: float = 60.0) -> tuple[str, dict[str, Any]] | None:
        """The mark and the content of the last complete report; None if there is none within `wait` seconds."""
        with self._condition:
            self._condition.wait_for(lambda: self._complete is not None, wait)
            return None if self._complete is None else (self.mark(self._complete[0]), self._complete[1])

    def mark(self, number: int) -> str:
        return f"{self.boot}-{number}"

    def after(self, mark: str, wait: float) -> Sequence[Message] | None:
        """The messages after a mark, waiting up to `wait` seconds for one; None if the mark is unknown or too old."""
        boot, _, digits = mark.partition("-")
        number = int(digits) if digits.isdecimal() and len(digits) < 19 else -1
        with self._condition:
            oldest = self._messages[0].number if self._messages else self._number + 1
            if boot != self.boot or not oldest - 1 <= number <= self._number:
                return None
            self._condition.wait_for(lambda: self._number > number, wait)
            return [message for message in self._messages if message.number > number]


POLL_SECONDS = 0.2  # at most five updates a second; the record itself is written about once a second
PAUSE_SECONDS = 3.0  # at least, between two reports
COST = 10.0  # pause after a report, as a multiple of its processor time
STALE_CHECK_SECONDS = 30.0  # a killed run writes nothing, so a silent run is checked again after this time
MOST_FILES = 200  # of a folder, checked for changes


class Following:
    """One thread for one source. `ended` is set once the run has ended and its last report is published."""

    def __init__(
        self, source: Source, hub: Hub, hooks: Sequence[Hook] = (), complain: Callable[[str], None] = print
    ) -> None:
        self.ended = threading.Event()
        self._source = source
        self._hub = hub
        self._hooks = hooks
        self._complain = complain
        self._alerts = AlertBook()
        self._known: dict[str, int] = {}
        self._lines: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="traindx-following", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10.0)

    def _loop(self) -> None:
        seen: Any = None
        reported: Any = None
        next_report = next_check = 0.0
        while not self._stop.is_set():
            now = time.monotonic()
            stamp = self._source.stamp()
            try:
                overdue = reported is not None and not self.ended.is_set() and now >= next_check
                if (stamp != reported or overdue) and now >= next_report:
                    reported = seen = stamp
                    cost = self._report()
                    next_report = time.monotonic() + max(PAUSE_SECONDS, COST * cost)
                    next_check = time.monotonic() + STALE_CHECK_SECONDS
                elif stamp != seen and self._source.is_record and self._known:
                    seen = stamp if self._points() else seen  # no points yet: the write may still be in progress
            except RecordError as error:  # the record is being written, moved or damaged: keep the page and try again
                reported = seen = None
                next_report = time.monotonic() + PAUSE_SECONDS
                self._hub.publish("state", {"problem": str(error)})
            except Exception as error:  # a bug in one report must not end this thread
                reported = seen = None
                next_report = time.monotonic() + 10 * PAUSE_SECONDS
                self._complain(f"traindx live: no report could be made ({type(error).__name__}: {error})")
                self._hub.publish("state", {"problem": f"no report could be made ({type(error).__name__})"})
            self._stop.wait(POLL_SECONDS)

    def _points(self) -> bool:
        """Publish new points. True if there were any."""
        found = self._source.points(self._known)
        if not found:
            return False
        for name, series in found.items():
            self._known[name] += len(series)
        last = max(int(series.steps.max()) for series in found.values())
        self._hub.publish("points", {"lines": [{"name": n, **packed(s)} for n, s in found.items()], "last": last})
        return True

    def _report(self) -> float:
        """Publish the whole report. Returns the processor time in seconds."""
        began = time.thread_time()
        run = self._source.read()
        diagnosis = diagnose(run)
        new_alerts = self._alerts.new(run, diagnosis)
        made = {**report(run, diagnosis), "alerts": [alert.as_object() for alert in self._alerts.told]}
        lines = [line["name"] for chart in made["curves"]["charts"] for line in chart["lines"]]
        over = not made["about"]["running"]
        if self._source.is_record and lines == self._lines:
            self._catch_up(run)
            self._hub.publish("report", {key: part for key, part in made.items() if key != "curves"})
        else:
            self._lines = lines
            self._known = {name: len(run.series(name)) for name in lines}
            self._hub.publish("full", made)
        self._hub.complete(made)
        for alert in new_alerts:
            self._hub.publish("alert", alert.as_object())
            for hook in self._hooks:
                hook(alert)
        if over and self._source.is_record:
            self.ended.set()
        return time.thread_time() - began

    def _catch_up(self, run: Run) -> None:
        """Publish the points that the report holds and viewers do not have yet."""
        new = []
        for name in self._lines:
            series, have = run.series(name), self._known[name]
            if len(series) > have:
                new.append({"name": name, **packed(type(series)(name, series.steps[have:], series.values[have:]))})
                self._known[name] = len(series)
        if new:
            self._hub.publish("points", {"lines": new, "last": extent(run)[1]})


@dataclass(frozen=True)
class Source:
    """`read` returns the run as it is now. `points` works only for records, which can be read from the middle."""

    path: Path
    read: Callable[[], Run]

    @property
    def is_record(self) -> bool:
        return self.path.suffix == ".tdx"

    def stamp(self) -> tuple[tuple[str, int, int], ...]:
        """A value that changes whenever something is written."""
        if self.path.is_dir():
            files = sorted(file for file in self.path.rglob("*") if file.is_file())[:MOST_FILES]
        else:
            files = [self.path.with_name(self.path.name + tail) for tail in ("", "-wal", "-exit")]
        found = []
        for file in files:
            try:
                status = file.stat()
            except OSError:
                continue
            found.append((file.name, status.st_mtime_ns, status.st_size))
        return tuple(found)

    def points(self, known: Mapping[str, int]) -> dict[str, Series]:
        """The points of each series after the first `known[name]` ones. Earlier chunks are not read."""
        found = {}
        with RecordFile(self.path) as file:
            ids = {name: int(number) for number, name in file.rows("SELECT id, name FROM series")}
            for name, have in known.items():
                if name not in ids:
                    continue
                chunk, offset = divmod(have, CHUNK_POINTS)
                later = f"series = {ids[name]} AND chunk >= {chunk}"
                rows = list(file.rows(f'SELECT steps, "values" FROM points WHERE {later} ORDER BY chunk'))
                steps = np.frombuffer(b"".join(row[0] for row in rows), "<i8").astype(np.int64)[offset:]
                values = np.frombuffer(b"".join(row[1] for row in rows), "<f8").astype(np.float64)[offset:]
                if len(steps) and len(steps) == len(values):
                    found[name] = Series(name, steps, values)
        return found
