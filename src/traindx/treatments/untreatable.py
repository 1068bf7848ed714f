"""Causes that neither an intervention nor an experiment tests, and why."""

from __future__ import annotations

WHY_NOT = {
    "batch-too-large": "smaller batches help by more steps in the same epochs, and trials compare equal steps",
    "undertrained": "only a longer run tells; the trials are as long as the run was",
    "double-descent": "it takes a run much longer than a trial to show",
    "scrambled-axes": "the order of axes stands in the model's own code: the patch is the test",
    "validation-on-nothing": "there is no sample to evaluate on, whatever else is changed",
    "leaked-validation": "shared samples are counted, not inferred: nothing is left to test",
    "replicas-diverged": "trials run in one process, where there are no replicas",
    "straggler-rank": "trials run in one process, where there are no ranks to compare",
}
