"""Causes that neither an intervention nor an experiment tests, and why."""

from __future__ import annotations

WHY_NOT = {
    "undertrained": "only a longer run tells; the trials are as long as the run was",
    "double-descent": "it takes a run much longer than a trial to show",
    "validation-on-nothing": "there is no sample to evaluate on, whatever else is changed",
    "leaked-validation": "shared samples are counted, not inferred: nothing is left to test",
    "replicas-diverged": "trials run in one process, where there are no replicas",
    "straggler-rank": "trials run in one process, where there are no ranks to compare",
}
