"""Which deep samples to forget when a run grows long.

Every deep sample stays until there are `LIMIT` of them; then every second one of the older half goes, except
the first ones and those near an event. What remains is dense at the start, around whatever went wrong, and at
the end; a run of any length keeps a bounded file.
"""

from __future__ import annotations

from bisect import bisect_left, insort

LIMIT = 2000
KEEP_FIRST = 64
KEEP_AROUND_EVENT = 20  # samples on either side of an event
MAX_EVENTS = 200  # past that, events are the normal state and protect nothing more


class DeepSampleLedger:
    """Keeps account of the sampled steps and names those that may go."""

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
        """The steps whose samples are to be deleted now; empty until the limit is passed."""
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
