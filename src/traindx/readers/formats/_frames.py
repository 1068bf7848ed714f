"""Turns a polars data frame into rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..rows.collector import Collector

if TYPE_CHECKING:
    import polars as pl


def add_frame(collector: Collector, frame: pl.DataFrame) -> None:
    """Add the numeric columns of a frame. A null becomes an empty cell."""
    import polars as pl

    everywhere = np.arange(frame.height)
    columns = {}
    for name, dtype in frame.schema.items():
        if not dtype.is_numeric():
            continue
        cells = frame[name]
        if cells.null_count() == 0:
            columns[name] = (everywhere, cells.cast(pl.Float64).to_numpy())
        elif cells.null_count() < frame.height:
            rows = np.flatnonzero(cells.is_not_null().to_numpy())
            columns[name] = (rows, cells.drop_nulls().cast(pl.Float64).to_numpy())
    collector.add_block(frame.height, columns)


def numbers_wide(frame: pl.DataFrame) -> dict[str, pl.DataType]:
    """Return the frame's schema with every number as a float, to read further rows of the same table with."""
    import polars as pl

    return {name: pl.Float64() if dtype.is_numeric() else dtype for name, dtype in frame.schema.items()}
