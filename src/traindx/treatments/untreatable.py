"""Causes that neither an intervention nor an experiment tests, and why."""

from __future__ import annotations

WHY_NOT = {
    "undertrained": "only a longer run can show it, and trials are no longer than the run was",
    "double-descent": "it shows only in runs much longer than a trial",
    "validation-on-nothing": "there is no sample to evaluate on, whatever else changes",
    "leaked-validation": "the shared samples were counted directly, so there is nothing left to test",
    "replicas-diverged": "trials run in one process, where there are no replicas",
    "straggler-rank": "trials run in one process, where there are no ranks to compare",
}
