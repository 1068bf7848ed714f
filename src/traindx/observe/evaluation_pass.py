"""What is known of one evaluation while it goes on: its samples, losses and hits."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

LARGEST_SHARE = 20_000  # samples or labels of which a float32 still shows that it is a share


class EvaluationPass:
    """One evaluation in progress."""

    def __init__(self, key: Any) -> None:
        self.key = key
        self.forwards = 0
        self.rows = 0
        # Sums are floats on the CPU and stay tensors on an accelerator.
        self.loss_sum: Any = 0.0
        self.loss_rows = 0
        self.unreduced: tuple[Any, int] = (0.0, 0)  # the same of losses that the script reduces itself
        self.last_loss: tuple[Any, int] | None = None
        self.scored = False
        self.hits: Any = 0.0
        self.hit_rows: Any = 0.0
        # Scalars that the script itself read: by where, and whether without gradients, as an evaluation computes.
        self.read: dict[tuple[bool, Hashable], list[float]] = {}
        self.sizes: set[int] = set()  # rows of the forwards, and entries of their outputs
        self.path: Hashable = None  # the calls that led to its loss

    def hand_over(self, other: EvaluationPass, forwards: int, rows: int) -> None:
        """The last forwards belong to another set."""
        self.forwards, self.rows = self.forwards - forwards, self.rows - rows
        other.forwards, other.rows = other.forwards + forwards, other.rows + rows

    def add(self, other: EvaluationPass) -> None:
        self.loss_sum = self.loss_sum + other.loss_sum
        self.loss_rows += other.loss_rows
        self.unreduced = (self.unreduced[0] + other.unreduced[0], self.unreduced[1] + other.unreduced[1])
        self.scored = self.scored or other.scored
        self.hits, self.hit_rows = self.hits + other.hits, self.hit_rows + other.hit_rows

    def count(self, hits: Any, rows: Any) -> None:
        self.scored = True
        self.hits, self.hit_rows = self.hits + hits, self.hit_rows + rows

    def is_share(self, value: float) -> bool:
        """Whether it is a whole number of the samples: a share of hits, not a loss."""
        sizes = {size for size in (*self.sizes, self.rows) if size <= LARGEST_SHARE}
        exact = (abs(value * size - round(value * size)) < max(1e-4, 1e-7 * size) for size in sizes)
        return 0 <= value <= 1 and any(exact)
