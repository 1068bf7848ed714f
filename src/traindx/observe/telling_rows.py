"""Separates samples that are equal by chance from copies.

A table of ages, fares and flags repeats itself: two passengers may agree in every column. So do a few letters of a
text. Rows that agree are copies of one sample only if their values are far rarer than the number of rows explains.
"""

from __future__ import annotations

import math
from typing import Any

import torch

ROWS = 256  # of the training data that show how common a value is
COLUMNS = 64
RARE_BITS = 12.0  # of a value that no other row has: a few hundred rows do not show more
TOKEN_BITS = 0.4  # of what a token holds by itself: most of it follows from the tokens before
SHORTEST = 3  # tokens in a row; users, items and other ids are no text
MARGIN_BITS = 10.0  # beyond the number of rows: one chance match in a thousand sets of data


class TellingRows:
    """Keeps a few distinct training rows and says which rows hold enough to be recognised by."""

    def __init__(self) -> None:
        self._rows: Any = None

    def take(self, inputs: Any) -> None:
        if self._rows is not None and len(self._rows) >= ROWS:
            return
        rows = _columns(inputs)
        if rows is None:
            return
        if self._rows is not None:
            if self._rows.shape[1] != rows.shape[1]:
                return
            rows = torch.cat([self._rows, rows])
        self._rows = torch.unique(rows, dim=0)[:ROWS]

    def common(self, inputs: Any, places: list[int], trained: int) -> list[int]:
        """Of these rows, the places of those that may agree with a training row by chance."""
        rows = _columns(inputs)
        if rows is None or self._rows is None or not places or self._rows.shape[1] != rows.shape[1]:
            return []
        asked = rows[places]
        agree = asked[:, None, :] == self._rows[None]
        agree &= ~agree.all(dim=2, keepdim=True)  # the row itself says nothing of how common its values are
        shares = agree.float().mean(dim=1)
        bits = torch.where(shares > 0, -torch.log2(shares.clamp_min(1e-9)), torch.full_like(shares, RARE_BITS))
        if not inputs.is_floating_point():
            bits = bits * TOKEN_BITS
        needed = math.log2(max(2, trained)) + MARGIN_BITS
        return [place for place, found in zip(places, bits.sum(dim=1).tolist(), strict=True) if found < needed]


def _columns(inputs: Any) -> Any | None:
    """Rows by columns; None of what is neither a table of numbers nor rows of tokens."""
    if not inputs.is_cpu or inputs.dim() < 2 or (not inputs.is_floating_point() and inputs.shape[1] < SHORTEST):
        return None
    flat = inputs.detach().reshape(inputs.shape[0], -1)
    return flat[:, :: -(-flat.shape[1] // COLUMNS)].float()
