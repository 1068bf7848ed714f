"""Decides which steps to measure closely (a *look*), within a time budget.

There are three depths. Every step gets the scalars that cost next to nothing; a *light* look measures the batch and the
gradient as a whole; a *deep* look measures every layer. Looks are dense at the start, where most faults show, and thin
out with the logarithm of the step; they become dense again for a while after `alert()`. A short run may use some
seconds beyond its share, spread over the logarithm of the step, or the first steps would take them all. If the length
of the run is known, a few looks in its last tenth are guaranteed.
"""

from __future__ import annotations

from math import inf, log
from time import thread_time

from .ranks import is_agreed, next_agreed

NOTHING, LIGHT, DEEP = 0, 1, 2

USUAL_BUDGET = 1.0  # percent of the run's time

# Seconds lent beyond the share, and the step by which all of them may be used: a short run must be measured too.
GRACE = 0.15
GIVEN_OUT_BY = 1000
FORCED_DEEP = 3  # the first steps are always looked at: init, first loss and wiring show there
EXPENSIVE = 0.05  # seconds: where a look takes longer, the first two steps are enough
AT_END = (0.9, 0.95, 0.985)  # shares of a run of known length at which looks are guaranteed
ALERT_STEPS = 6
FOR_LIGHT = 0.8  # light looks leave the rest of the budget for deep ones, which would else never be affordable
MAX_GAP = 400


class Schedule:
    def __init__(self, share: float) -> None:
        self.share = share
        self.looks = 0.0  # seconds spent on looks at training steps, and on writing what they found
        self.others = 0.0  # ... on all else, such as evaluations; they have a budget of the same size
        self._began = thread_time()
        self._next_deep = 0
        self._next_light = 0
        self._in_run = 0  # how many looks of the present run of deep looks have been made
        self._alert_until = -1
        self._cost = {LIGHT: 0.0, DEEP: 0.0}
        self._last = NOTHING
        self._of_look = 0.0  # what the present look has cost so far
        self.planned: int | None = None  # steps that the run is meant to have
        self._guaranteed = 0  # looks of the present one of them
        self._at_end = 0  # of the guaranteed looks, those that have been made
        self._appointments = False  # other ranks look at the same steps

    def charge(self, seconds: float, of_look: bool = False) -> None:
        """Account for time spent: the thread's CPU time, so that a busy machine does not reduce the looks."""
        if of_look:
            self.looks += seconds
            self._of_look += seconds
        else:
            self.others += seconds

    def charge_writing(self, seconds: float) -> None:
        """Accounts for transferring and writing what looks have measured, which belongs to their cost but to no single
        look. Called on the writing thread: an addition that is lost now and then does no harm."""
        self.looks += seconds

    @property
    def spent(self) -> float:
        return self.looks + self.others

    def affordable(self) -> bool:
        """Whether there is time for something that is not planned, such as scoring an evaluation."""
        return self.others <= GRACE + self._earned()

    def _earned(self) -> float:
        # Both sides in the training thread's own time: the share holds on an idle machine and on a busy one.
        return self.share * max(0.0, thread_time() - self._began)

    def alert(self, step: int) -> None:
        """Something looks wrong: look closely at the next few steps."""
        self._alert_until = step + ALERT_STEPS

    def keep_appointments(self) -> None:
        """Look at the steps that all ranks of a job look at (`ranks.is_agreed`), whatever that costs."""
        self._appointments = True

    def due(self, step: int) -> bool:
        """Whether this step may get a look at all. Called at every step, so it makes only comparisons."""
        return (
            step >= self._next_light
            or step >= self._next_deep
            or step <= self._alert_until
            or (self.planned is not None and step >= self._next_guaranteed())
            or (self._appointments and is_agreed(step))
        )

    def _next_guaranteed(self) -> float:
        if self.planned is None or self._at_end >= len(AT_END):
            return inf
        return AT_END[self._at_end] * self.planned

    def next_due(self, step: int) -> int:
        """The step, this one or later, that may be worth a look."""
        if self.due(step):
            return step
        agreed = next_agreed(step) if self._appointments else inf
        return int(min(self._next_light, self._next_deep, self._next_guaranteed() + 0.999, agreed))

    def plan(self, step: int, consecutive: int = 1) -> int:
        """How closely to look at the coming step.

        Deep looks come in runs of `consecutive` steps plus one (two successive gradients make a cosine, and
        several optimizers that take turns must all be seen).
        """
        if self._last:
            known = self._cost[self._last]
            self._cost[self._last] = self._of_look if not known else 0.7 * known + 0.3 * self._of_look
        self._of_look = 0.0
        self._last = self._choose(step, consecutive)
        if self._appointments and self._last == NOTHING and is_agreed(step):
            self._last = LIGHT
        return self._last

    def _choose(self, step: int, consecutive: int) -> int:
        if not self.due(step):
            return NOTHING
        earned = self._earned()
        lent = GRACE * min(1.0, log(1 + step) / log(1 + GIVEN_OUT_BY)) ** 1.5
        allowance = max(earned, lent + earned / 2)  # the other half pays back
        forced = FORCED_DEEP if self._cost[DEEP] <= EXPENSIVE else FORCED_DEEP - 1
        if step < forced * consecutive:
            self._next_deep = step + 1
            return DEEP
        if step >= self._next_guaranteed():
            self._guaranteed += 1
            if self._guaranteed > consecutive:  # this one and those that belong to it
                self._guaranteed = 0
                self._at_end += 1
            return DEEP
        if step <= self._alert_until and self.looks + self._cost[DEEP] <= 2 * allowance:
            return DEEP
        if step >= self._next_deep and (
            # A run of looks that was begun is brought to its end.
            self.looks + (1 + consecutive - self._in_run) * self._cost[DEEP] <= allowance
        ):
            self._run_on(step, consecutive)
            return DEEP
        if step >= self._next_light and self.looks + self._cost[LIGHT] <= FOR_LIGHT * allowance:
            self._next_light = step + max(1, min(step // 20, MAX_GAP))
            return LIGHT
        # Too expensive at present: asked again when the answer may have changed.
        pause = step + 1 + step // 50
        self._next_light, self._next_deep = max(self._next_light, pause), max(self._next_deep, pause)
        return NOTHING

    def _run_on(self, step: int, consecutive: int) -> None:
        # A run of looks is `consecutive + 1` long: the first ones move the next look one step on, the last one away.
        self._in_run += 1
        if self._in_run > consecutive:
            self._in_run = 0
            self._next_deep = step + max(2, min(step // 8, MAX_GAP))
        else:
            self._next_deep = step + 1
