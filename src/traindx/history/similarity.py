"""How alike two runs are, by the signs that they show.

Only signs that were measured in both count, so that a log can be compared with an observed run. Of these, the raised
ones make up a run's signature: a fault that was caught in the act says most about the cause, a curve least. Two runs
are similar when most of what either shows is shown by both, and when that is enough to mean something: one fault or
three weaker signs. `python -m benchmarks.history` measures how often the causes then agree.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..signs import all_signs

SIMILAR = 0.6  # share of the raised signs' weight that both runs show
ENOUGH = 3.0  # weight of what both show
RAISED = 0.5  # level from which a sign is raised
WEIGHTS = {"fault": 3.0, "condition": 1.5, "outcome": 1.0, "dynamics": 1.0}  # settings and successes tell no faults


def similarity(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """From 0 to 1; 0 as well where both show too little in common to compare."""
    units = all_signs()
    shared = either = 0.0
    for sign in one.keys() & other.keys():
        weight = WEIGHTS.get(units[sign].shows, 0.0) if sign in units else 0.0
        levels = [level if level >= RAISED else 0.0 for level in (one[sign], other[sign])]
        shared += weight * min(levels)
        either += weight * max(levels)
    return shared / either if shared >= ENOUGH else 0.0
