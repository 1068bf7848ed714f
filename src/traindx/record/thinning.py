"""Chooses which deep samples to delete when a run gets long.

Every deep sample is kept until there are more than `LIMIT`. Then every second one of the older half is deleted, except
the first ones and those near an event. The rest is dense at the start, around events and at the end, and the file of a
run of any length stays small.
"""

from __future__ import annotations

from bisect import bisect_left, insort

LIMIT = 2000
KEEP_FIRST = 64
KEEP_AROUND_EVENT = 20  # samples on either side of an event
MAX_EVENTS = 200  # further events are so frequent that they protect no samples


class DeepSampleLedger:
    """Keeps a list of the sampled steps and chooses those to delete."""

    def __init__(self) -> None:
        self._steps: list[int] = []
        self._events: list[int] = []

    def sampled(self, step: int) -> None:
        if not self._steps or step > self._steps[-1]:
            self._steps.append(step)
        else:
            at = bisect_left(self._steps, step)
            if self._steps[at] != step:
                insort(self._steps, step)

    def event(self, step: int) -> None:
        if len(self._events) < MAX_EVENTS:
            self._events.append(step)

    def surplus(self) -> list[int]:
        """Return the steps whose samples are to be deleted now; none as long as the limit is not exceeded."""
        if len(self._steps) <= LIMIT:
            return []
        protected = self._protected()
        half = len(self._steps) // 2
        old = [step for i, step in enumerate(self._steps[:half]) if i >= KEEP_FIRST and step not in protected]
        gone = set(old[1::2])
        self._steps = [step for step in self._steps if step not in gone]
        return sorted(gone)

    def _protected(self) -> set[int]:
        keep: set[int] = set()
        for step in self._events:
            at = bisect_left(self._steps, step)
            keep.update(self._steps[max(0, at - KEEP_AROUND_EVENT) : at + KEEP_AROUND_EVENT + 1])
        return keep
