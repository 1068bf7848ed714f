"""The scale of the initial weights against 1/sqrt(fan_in), which keeps a signal's size: too large, too small."""

from __future__ import annotations

from ...record import Run
from ...record.parameters import Parameter
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, SignUnit, if_raised, ramp
from .._tables import median

LARGE, SMALL = "init-scale-large", "init-scale-small"
STANDARD = ("Linear", "Conv", "Bilinear", "RNN", "LSTM", "GRU", "MultiheadAttention", "LazyLinear", "LazyConv")


def large(run: Run) -> Sign | Missing:
    """Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too large.

    Kaiming's 1.4 is the largest usual value; standard normal weights with 64 inputs give 8. The median layer counts, or
    one of torch's own layers far beyond the usual. Custom layers may scale their weights at run time, so there the
    level stops at 0.6; and a single custom tensor may be a table of positions, which is not a layer.
    """
    gains = _fresh_gains(run)
    gain = median(g for g, _ in gains)
    if gain is None:
        return Missing(LARGE, "no freshly initialised weight was looked at")
    standard = [g for g, p in gains if p.module.startswith(STANDARD)]
    level = max(ramp(gain, 2.0, 8.0, log=True), ramp(max(standard, default=0.0), 6.0, 60.0, log=True))
    if not standard:
        level = min(level, 0.6)
    return _sign(LARGE, gain, level, len(gains), "largest", "most", max(gains, key=lambda pair: pair[0]))


def small(run: Run) -> Sign | Missing:
    """Initial weights against 1/sqrt(fan_in), the scale that keeps a signal's size: too small.

    torch's default gives 0.58, Xavier 1, Kaiming 1.4; the median hidden layer counts, for last layers are made small on
    purpose.
    """
    gains = _fresh_gains(run)
    gain = hidden_gain(run)
    if gain is None:
        return Missing(SMALL, "no freshly initialised weight was looked at")
    level = ramp(gain, 0.2, 0.03, log=True)
    return _sign(SMALL, gain, level, len(gains), "smallest", "least", min(gains, key=lambda pair: pair[0]))


def hidden_gain(run: Run) -> float | None:
    """The median gain of fresh layers before the last; None without any."""
    gains = _fresh_gains(run)
    return median(g for g, _ in (gains[:-1] or gains))


def _sign(
    sign_id: str, gain: float, level: float, layers: int, word: str, key: str, extreme: tuple[float, Parameter]
) -> Sign:
    furthest, layer = extreme
    return Sign(
        sign_id,
        gain,
        level,
        f"initial weight std is {num(gain)} times 1/sqrt(fan_in) (median of {layers} layers; "
        f"{word} {num(furthest)} in `{layer.name}`; PyTorch's default is 0.58)",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "warning"),
        values={"median": gain, key: furthest, "layer": layer.name},
    )


def _fresh_gains(run: Run) -> list[tuple[float, Parameter]]:
    """(init_std x sqrt(fan_in), weight) of fresh, trainable weight matrices that ran, in order of execution.

    Constant ones are left out: zero-initialised branches and heads are healthy, and symmetry is another sign.
    """
    return [
        (gain, p)
        for p in run.parameters
        if p.matrix and p.ran and p.trains and not p.loaded and not p.constant
        if (gain := p.gain) is not None and gain > 0
    ]


SIGNS = (
    SignUnit(LARGE, large, questions.FLOW, "condition", check=checks.INITIAL_WEIGHTS, rival=("signal", 1.5)),
    SignUnit(SMALL, small, questions.FLOW, "condition", check=checks.INITIAL_WEIGHTS, rival=("signal", 2.0)),
)
