"""Tiny stand-in: daily prices of a generated stock (fixed seed by the ticker's name), columns as yfinance gives them."""
import zlib
import numpy as np
import pandas as pd


def download(ticker, start="2020-01-01", end="2026-01-02", **kwargs):
    r = np.random.default_rng(zlib.crc32(ticker.encode()))
    days = pd.bdate_range(start, end)
    n = len(days)
    vol = 0.015 * np.exp(0.4 * np.cumsum(r.normal(0, 0.08, n)) / np.sqrt(1 + np.arange(n) * 0.01))
    close = 10.0 * np.exp(np.cumsum(r.normal(0.0004, 1, n) * np.clip(vol, 0.006, 0.04) + 0.0003))
    op = close * (1 + r.normal(0, 0.004, n))
    hi, lo = np.maximum(op, close) * (1 + abs(r.normal(0, .005, n))), np.minimum(op, close) * (1 - abs(r.normal(0, .005, n)))
    f = pd.DataFrame({"Close": close, "High": hi, "Low": lo, "Open": op, "Volume": r.integers(1e5, 3e6, n)}, index=days)
    f.index.name = "Date"
    f.columns = pd.MultiIndex.from_product([f.columns, [ticker]], names=["Price", "Ticker"])
    return f
