"""mldoct: a linter of training scripts (its log classifier and GPU watchdog are not asked here)."""

from __future__ import annotations

from pathlib import Path

from mldoctor.linter import lint_script

from ._base import Said

NAME = "mldoct check"
# What the linter says it detects, as causes of traindx. Advice on clipping is a note there and here.
LABELS = {
    "missing_zero_grad": "missing-zero-grad", "double_softmax": "double-softmax", "missing_eval": "eval-mode-missing",
    "oom_leak": "graph-retained", "cpu_bottleneck": "slow-data-loading",
}  # fmt: skip
CLAIMS = set(LABELS.values())


def say_of_source(path: Path) -> list[Said]:
    findings, _ = lint_script(str(path))
    return [
        Said(LABELS.get(found["type"], found["type"]), found["severity"] == "CRITICAL", found["message"])
        for found in findings
        if found["severity"] != "INFO"
    ]
