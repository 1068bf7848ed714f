"""When to stop debugging: what is settled, what is open, and what to do after that."""

from __future__ import annotations

from collections.abc import Sequence

from ..signs import Signs
from .walking import Path

# The experiments that settle most, and the signs that show in a record that they were made.
TESTS = {
    "overfitting one batch (traindx check)": ("one-batch-not-learnt",),
    "a range of learning rates (traindx lr)": (
        "one-batch-needs-lower-rate",
        "one-batch-needs-higher-rate",
        "steps-make-worse",
    ),
    "a run under observation (traindx run)": ("update-ratio-high", "grads-kept"),
}
THEN = (
    "Then reduce the problem until it trains (fewer layers, 100 samples, no augmentation) and add one thing back at a "
    "time; or compare with a known script for the same task, line by line; or accept the result, if a simple baseline "
    "does no better."
)


def when_to_stop(paths: Sequence[Path], signs: Signs) -> list[str]:
    """Three sentences: what is settled, which tests are left, and what to do after them."""
    made = [test for test, names in TESTS.items() if any(_measured(name, signs) for name in names)]
    left = [test for test in TESTS if test not in made]
    steps = [step for path in paths for step in path.steps]
    settled = sum(step.answer != "not known" for step in steps)
    asks = list(dict.fromkeys(step.ask for step in steps if step.answer == "not known"))
    where = f"{settled} of {len(steps)} forks are settled." if steps else "Nothing is settled yet."
    open_ones = f" Open: {' '.join(asks[:3])}" if asks else ""
    if left:
        limit = f"Three tests settle most faults. Still to do: {'; '.join(left)}."
    else:
        limit = "The three tests that settle most faults are done."
    return [
        f"{where}{open_ones}",
        f"{limit} After them, try the two most likely causes, one at a time; if neither changes the loss, stop here.",
        THEN,
    ]


def _measured(name: str, signs: Signs) -> bool:
    return name in signs and not signs[name].values.get("told")
