"""The learning-rate range test, in the user's loop or on a model in memory."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..record import Run, RunBuilder
from ..wording import counted
from .forking import fork_runs
from .launch import Plan, ProbeError, Script, Start, Trial, launch
from .memorising import by_step
from .rate_curve import RateAdvice, RateCurve, Smoothed, advise

STEPS = 120
LOW, HIGH = 1e-6, 10.0  # below, nothing moves in so few steps; above, every model in use diverges
SECONDS = 40.0
REPEATS = 3
FEWEST = 40  # steps that a loop must be able to make


@dataclass(frozen=True, repr=False)
class RateTest:
    """The result of a range test: the advice, the script's own learning rate, and a `Run` with the measured curves."""

    advice: RateAdvice
    own_rate: float | None
    run: Run
    batch_size: float | None = None
    optimizer: str | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def suggestion(self) -> float | None:
        return self.advice.suggestion

    def __repr__(self) -> str:
        found = "no suggestion" if self.suggestion is None else f"suggestion {self.suggestion:.2g}"
        return f"<RateTest: {found}>"

    def __str__(self) -> str:
        """The suggestion, how far the repeats agree, and the learning rate in use."""
        advice = self.advice
        if advice.suggestion is None or advice.interval is None:
            lines = [f"No learning rate can be suggested: {advice.why_not}."]
        else:
            low, high = advice.interval
            repeats = sum(reading.suggestion is not None for reading in advice.readings)
            lines = [
                f"Learning rate {advice.suggestion:.2g} ({low:.2g} to {high:.2g} over {counted(repeats, 'repeat')})."
            ]
        if advice.rules:
            rules = ", ".join(f"{name} {rate:.2g}" for name, rate in advice.rules.items())
            lines.append(f"Rules: {rules}: they {'agree' if advice.agree else 'do not agree'}.")
        if self.own_rate:
            lines.append(f"In use: {self.own_rate:.3g}.")
        return "\n".join([*lines, *self.notes])


def probe_rates(
    script: Script,
    *,
    low: float = LOW,
    high: float = HIGH,
    steps: int = STEPS,
    repeats: int = REPEATS,
    seconds: float = SECONDS,
    start: Start | None = None,
) -> RateTest:
    """Run the test inside the script, `repeats` times, each time with the script's seeds shifted. `start`: what starts
    the runs, if something does already."""
    with fork_runs(script) if start is None else nullcontext(start) as starting:
        trials, notes = _trials(script, starting, {"seconds": seconds, "low": low, "high": high}, steps, repeats)
    for trial in trials:
        if trial.error:
            raise ProbeError(f"the script failed at step {trial.updates}: {trial.error}")
    return _together(script, trials, notes)


def _trials(
    script: Script, start: Start, options: dict[str, float], steps: int, repeats: int
) -> tuple[list[Trial], list[str]]:
    def once(shift: int, steps: int) -> Trial:
        return launch(script, Plan("rate-range", {**options, "steps": steps}, seed=shift, shift=shift), start)

    first = once(0, steps)
    notes = []
    if not first.found.stopped_by and first.ending == "ok" and first.updates < steps:
        if first.updates < FEWEST:
            raise ProbeError(
                f"the loop ended after {first.updates} steps, the test needs {FEWEST}: give the script more epochs"
            )
        steps = first.updates
        notes.append(f"the loop ends after {steps} steps, so the test uses as many")
        first = once(0, steps)
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        return [first, *pool.map(lambda shift: once(shift, steps), range(1, repeats))], notes


def _together(script: Script, trials: list[Trial], notes: list[str]) -> RateTest:
    curves = [curve_of(trial.run) for trial in trials]
    first = trials[0]
    if first.found.optimizers > 1:
        notes.append("several optimizers: their learning rates keep their ratios; the loss is that of the first one")
    if first.found.stopped_by == "time":
        notes.append(f"the time limit ended the test after {first.updates} steps (--seconds allows more)")
    sizes = first.run.series("batch_size").values
    return RateTest(
        advise(curves),
        first.found.own_rate,
        as_run(str(script), curves, dict(first.run.facts)),
        float(np.median(sizes)) if len(sizes) else None,
        (first.run.optimizers[0].class_name or None) if first.run.optimizers else None,
        notes,
    )


def curve_of(run: Run) -> RateCurve:
    """Loss and learning rate of each step of a trial."""
    losses, rates = by_step(run), run.series("lr")
    _, first = np.unique(rates.steps, return_index=True)
    length = min(len(losses), len(first))
    return RateCurve(rates.values[first][:length], losses[:length])


def as_run(source: str, curves: list[RateCurve], facts: dict[str, Any]) -> Run:
    """A run that holds the curves as series `rate_test/lr/K` and `rate_test/loss/K`."""
    builder = RunBuilder(source, "probe")
    for key, value in facts.items():
        builder.fact(key, value)
    for k, curve in enumerate(curves):
        builder.series(f"rate_test/lr/{k}", np.arange(len(curve.rates)), curve.rates)
        builder.series(f"rate_test/loss/{k}", np.arange(len(curve.losses)), curve.losses)
    return builder.build()


def lr_range_test(
    model: Any,
    batches: Iterable[Any],
    loss_fn: Callable[[Any, Any], Any],
    optimizer: Any,
    *,
    low: float = LOW,
    high: float = HIGH,
    steps: int = STEPS,
) -> RateTest:
    """The range test on a model, an iterable of (inputs, targets) and an optimizer. All state is restored afterwards.

    >>> test = traindx.lr_range_test(model, loader, torch.nn.functional.cross_entropy, optimizer)  # doctest: +SKIP
    >>> test.suggestion                                                                            # doctest: +SKIP
    """
    import torch

    from .unchanged import unchanged

    if not 0 < low < high or steps < 2:
        raise ValueError("low, high and steps must be positive, low below high")
    if not hasattr(optimizer, "param_groups"):
        raise TypeError(
            f"lr_range_test(model, batches, loss_fn, optimizer): the optimizer is a {type(optimizer).__name__}"
        )
    own = [float(group["lr"]) for group in optimizer.param_groups]
    rates, losses, watch = [], [], Smoothed()
    with unchanged(model, optimizer), torch.enable_grad():
        feed = _endless(batches)
        for k in range(steps):
            rate = low * math.exp(math.log(high / low) * k / (steps - 1))
            for group, kept in zip(optimizer.param_groups, own, strict=True):
                group["lr"] = rate * (kept / own[0] if own[0] else 1.0)
            inputs, targets = next(feed)
            optimizer.zero_grad()
            loss = loss_fn(model(inputs), targets)
            loss.backward()
            optimizer.step()
            value = float(loss.detach())
            rates.append(rate)
            losses.append(value)
            if not math.isfinite(value):
                break
            watch.add(value)
            if watch.diverged:
                break
    curve = RateCurve(np.array(rates), np.array(losses))
    return RateTest(advise([curve]), own[0], as_run(type(model).__name__, [curve], {}))


def _endless(batches: Iterable[Any]) -> Iterator[Any]:
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError("the iterable gave no batch (a generator can be used only once; pass a list or a loader)")


# ── a picture, with matplotlib, which is an optional dependency ───────────────────────────────────


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
