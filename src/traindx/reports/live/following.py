"""Follows one run: publishes new points as they arrive, and the whole report less often.

Points are read incrementally. The report needs the whole record and a diagnosis, which takes longer as the run grows.
After each report there is a pause of ten times its cost, so reports take at most a tenth of one core.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...diagnosis import diagnose
from ...record import RecordError, Run
from ..page import report
from ..page.model.arrays import packed
from ..page.model.curves import extent
from .alerts import AlertBook
from .hooks import Hook
from .hub import Hub
from .source import Source

POLL_SECONDS = 0.2  # at most five updates a second; the record itself is written about once a second
PAUSE_SECONDS = 3.0  # at least, between two reports
COST = 10.0  # pause after a report, as a multiple of its processor time
STALE_CHECK_SECONDS = 30.0  # a killed run writes nothing, so a silent run is checked again after this time


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
