"""Rows of class ids that one id fills up to a common length.

The filler is an id that occurs at the ends of rows and nowhere else. That alone does not make it padding: a label such
as "after the event" ends rows as well, a model with a fixed number of slots has to predict the empty ones, and a
decoder has to learn where to stop, if only from the first filler. It is padding where the inputs at all these positions
are constant too, or where one id (end of sequence) precedes it in all rows.
"""

from __future__ import annotations

from typing import Any

import torch

SHORTEST = 3  # positions of a row
MOST_ROWS = 256
MOST_ELEMENTS = 1 << 16
FEATURES = 8  # of the inputs at a position that are compared
FEWEST_ROWS = 8
FEWEST_LENGTHS = 3
PADDED_ROWS = 0.5  # the share of the rows that must end in the filler
CONFIRMED = 0.75  # the share of the looks at which inputs or an end mark must agree


def measure_rows(rows: Any, inputs: list[Any]) -> Any:
    """Numbers for `PaddingTally.add`: seven about the batch, then the length of each row without its filler.

    `rows` has one sequence a row; `inputs` are what the model was given in the same step, of any shape. No size depends
    on values, so an accelerator is not waited for.
    """
    count = max(FEWEST_ROWS, min(MOST_ROWS, MOST_ELEMENTS // rows.shape[1]))
    rows = rows[:count]
    size = rows.shape[1]
    last = rows[:, -1]
    filler = last[(last[:, None] == last[None, :]).sum(1).argmax()]
    is_filler = rows == filler
    positions = torch.arange(size, device=rows.device)
    lengths = ((positions + 1) * ~is_filler).amax(1)
    trailing = positions >= lengths[:, None]
    outside = is_filler.sum() - trailing.sum()
    constant = [_constant(given[:count, :size], trailing) for given in inputs]
    facts = [
        filler,
        size,
        is_filler.sum(),
        rows.numel(),
        outside,
        _end_marked(rows, last, lengths, size),
        torch.stack(constant).any() if constant else 0,
    ]
    header = torch.stack([torch.as_tensor(fact, device=rows.device).long() for fact in facts])
    return torch.cat([header, lengths])


def _constant(given: Any, where: Any) -> Any:
    """Whether the inputs are the same at all these positions, and different elsewhere."""
    given = given.reshape(*where.shape, -1)[..., :FEATURES].double()
    there = where[..., None]
    low = given.masked_fill(~there, torch.inf).amin((0, 1))
    high = given.masked_fill(~there, -torch.inf).amax((0, 1))
    return (low == high).all() & ~((given == low).all(-1) & ~where).any()


def _end_marked(rows: Any, last: Any, lengths: Any, size: int) -> Any:
    """Whether one id precedes the filler in every row that has some, and occurs nowhere but at the ends."""
    padded = (lengths > 0) & (lengths < size)
    before = rows.gather(1, (lengths - 1).clamp_min(0)[:, None])[:, 0]
    mark = before[(padded * (size - lengths)).argmax()]
    marked = ((before == mark) & padded).sum()
    at_ends = marked + ((lengths == size) & (last == mark)).sum()
    return (marked == padded.sum()) & ((rows == mark).sum() == at_ends) & padded.any()


def alike(given: Any, shape: tuple[int, int]) -> bool:
    """Whether an input has one entry (a number or a vector) for each position of these rows, or one more at the end."""
    return given.dim() in (2, 3) and given.shape[0] == shape[0] and given.shape[1] in (shape[1], shape[1] + 1)


class PaddingTally:
    """What the looks at one call of a loss have found, for one direction of the rows."""

    def __init__(self) -> None:
        self.rows = self._targets = 0
        self._by_id: dict[int, dict[str, Any]] = {}

    def add(self, numbers: list[float]) -> None:
        filler, size, count, targets, outside, marked, constant, *lengths = map(int, numbers)
        self.rows += len(lengths)
        self._targets += targets
        known = self._by_id.setdefault(filler, _nothing())
        if outside:
            known["impossible"] = True
            return
        known["count"] += count
        known["rows"] += len(lengths)
        known["padded"] += sum(length < size for length in lengths)
        known["lengths"] |= set(lengths)
        known["looks"] += 1
        known["confirmed"] += bool(marked or constant)

    def found(self) -> tuple[int, float] | None:
        """The filler and its share of all targets."""
        fillers = [
            (known["count"], filler)
            for filler, known in self._by_id.items()
            if not known["impossible"]
            and known["rows"] >= FEWEST_ROWS
            and len(known["lengths"]) >= FEWEST_LENGTHS
            and known["padded"] >= PADDED_ROWS * known["rows"]
            and known["confirmed"] >= CONFIRMED * known["looks"]
        ]
        if not fillers:
            return None
        count, filler = max(fillers)
        return filler, count / self._targets


def _nothing() -> dict[str, Any]:
    return {"impossible": False, "count": 0, "rows": 0, "padded": 0, "lengths": set(), "looks": 0, "confirmed": 0}
