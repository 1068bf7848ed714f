"""Whether the targets within a batch are alike, and whether its scores rank rare samples above common ones."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import torch

from .metric_queue import MetricQueue

GROUPED_FROM = 4  # rows of a batch, to ask whether they are alike
RANKED = 256  # rows of a batch that are ranked
BATCHES, LAST_BATCHES = 512, 32  # that are remembered of the first question, and of the second


class TargetOrder:
    """Of the batches looked at last."""

    def __init__(self, metrics: MetricQueue) -> None:
        self._metrics = metrics
        self._groups: deque[tuple[float, ...]] = deque(maxlen=BATCHES)  # rows, mean and variance of their targets
        self._ranks: deque[list[float]] = deque(maxlen=LAST_BATCHES)  # pairs in order, pairs, rarer cases

    def take_targets(self, targets: Any) -> None:
        """Targets that are quantities: in sorted data, those of one batch are more alike than those of others."""
        if len(targets) >= GROUPED_FROM:
            rows = targets.reshape(len(targets), -1).mean(dim=1)
            both = torch.stack([rows.mean(), rows.var(correction=0)])
            self._metrics.later(both, lambda values: self._groups.append((len(rows), *values)))

    def take_scores(self, scores: Any, positive: Any, known: Any) -> None:
        """How often a rare sample is scored above a common one: what was learned before any prediction changes."""
        scores, positive, known = (part[:RANKED] for part in (scores, positive, known))
        pairs = (positive & known).unsqueeze(1) & (~positive & known).unsqueeze(0)
        above = (scores.unsqueeze(1) > scores.unsqueeze(0)).float()
        above = above + 0.5 * (scores.unsqueeze(1) == scores.unsqueeze(0)).float()
        both = torch.stack([(above * pairs).sum(), pairs.sum().float(), (positive & known).sum().float()])
        self._metrics.later(both, self._ranks.append)

    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        groups, ranks = list(self._groups), list(self._ranks)
        if ranks:
            ordered, pairs, rarer = (sum(column) for column in zip(*ranks, strict=True))
            found["ranking"] = {"share": ordered / pairs, "rarer": rarer} if pairs else None
        if len(groups) > 1:
            found["groups"] = _between(groups)
        return found


def _between(groups: list[tuple[float, ...]]) -> dict[str, float]:
    """The variance between batches, and within them, of what is finite."""
    known = [group for group in groups if all(map(math.isfinite, group))]
    means = [mean for _, mean, _ in known]
    middle = sum(means) / max(1, len(means))
    return {
        "batches": len(known),
        "rows": sum(rows for rows, _, _ in known) / max(1, len(known)),
        "between": sum((mean - middle) ** 2 for mean in means) / max(1, len(means)),
        "within": sum(variance for _, _, variance in known) / max(1, len(known)),
    }
