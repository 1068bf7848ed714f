"""Causes that neither an intervention nor an experiment tests, and why."""

from __future__ import annotations

WHY_NOT = {
    "batch-too-large": "smaller batches help by making more steps per epoch, but trials compare equal numbers of steps",
    "undertrained": "only a longer run can tell, and trials are as long as the run was",
    "double-descent": "it shows only in a run much longer than a trial",
    "scrambled-axes": "the order of axes is in the model's own code: the patch is the test",
    "validation-on-nothing": "there is no sample to evaluate on, whatever else is changed",
    "leaked-validation": "shared samples are counted, not inferred: nothing is left to test",
    "replicas-diverged": "trials run in one process, where there are no replicas",
    "straggler-rank": "trials run in one process, where there are no ranks to compare",
}
