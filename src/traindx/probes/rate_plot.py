"""Draws a range test with matplotlib, which is an optional dependency."""

from __future__ import annotations

from pathlib import Path

from .rates import RateTest


def draw(test: RateTest, path: Path) -> None:
    """Draw all repeats, the interval, the suggestion and the script's own learning rate."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for reading in test.advice.readings:
        axes.plot(reading.curve.rates, reading.curve.losses, color="0.8", linewidth=0.8)
        axes.plot(reading.curve.rates, reading.smooth, color="C0", linewidth=1.5)
    if test.advice.interval is not None:
        axes.axvspan(*test.advice.interval, color="C2", alpha=0.2, label="range of the repeats")
    if test.suggestion is not None:
        axes.axvline(test.suggestion, color="C2", label=f"suggestion {test.suggestion:.2g}")
    if test.own_rate:
        axes.axvline(test.own_rate, color="C3", linestyle="--", label=f"your learning rate {test.own_rate:.2g}")
    lows = [reading.smooth.min() for reading in test.advice.readings if len(reading.smooth)]
    tops = [reading.smooth.max() for reading in test.advice.readings if len(reading.smooth)]
    if lows:
        room = 0.05 * (max(tops) - min(lows)) or 1.0
        axes.set_ylim(min(lows) - room, max(tops) + room)
    axes.set_xscale("log")
    axes.set_xlabel("learning rate")
    axes.set_ylabel("training loss")
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    figure.savefig(path)
