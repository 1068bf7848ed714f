"""The numbers in a batch: scales, outliers, NaN."""

from __future__ import annotations

from ...record import Run, Series
from ...record.course import Details
from ...record.forms import absent
from ...record.program import REGRESSION
from ...record.values import number
from ...wording import counted, num
from .. import checks, questions
from .._base import Fact, Measured, Scale, Sign, Unless, ramp, sign
from .._data import normalises_first, real_inputs, size_within
from .._numbers import all_finite, birth
from .._tables import median, ordered


def normalised(run: Run) -> Unless:
    """A norm layer before the first layer with weights: the scale of the inputs does not matter then."""
    words = "a norm layer comes before the first weights, so the scale of the inputs has no effect"
    return Unless(normalises_first(run), words)


@sign(
    "input-scale-odd",
    questions.DATA,
    "condition",
    from_start=True,
    core=True,
    check=checks.SCALES,
    unless={normalised: 0.0},
)
def input_scale_odd(run: Run) -> Measured | str:
    """The size of the inputs against 1, the size that initialisations assume: their root mean square.

    0.05 to 5 covers images in [0, 1] and standardised features; raw pixels up to 255 give about 130. Token ids have no
    size, nor have inputs that are all zero. Where a model scales its inputs itself, what its first layers get counts.
    """
    stats = real_inputs(run, "train")
    given = stats.root_mean_square if stats is not None else None
    if stats is None or given is None:
        return "no floating-point inputs were looked at"
    size = size_within(run) or given
    if size == 0:
        return "all inputs looked at are zero"
    level = max(ramp(size, 5.0, 100.0, log=True), ramp(size, 0.05, 0.001, log=True))
    return Measured(
        size,
        f"input RMS is {num(size)}{' at the first layer' if size != given else ''} (about 1 is typical)",
        level,
        values={"rms": size, "min": stats.min, "max": stats.max},
    )


@sign(
    "input-scale-spread",
    questions.DATA,
    "condition",
    Scale(100.0, 1e4, log=True),
    from_start=True,
    check=checks.SCALES,
    unless={normalised: 0.0},
)
def input_scale_spread(run: Run) -> Measured | str:
    """How unlike the scales of the input features are: the largest deviation over a small one.

    Measured where features are known one by one (at most 64), constant ones left out. The small end is the tenth
    percentile, so that one rare feature or a border pixel does not decide. Two decades are ordinary in raw tables that
    still train; four make the small features invisible. Where a model scales its inputs itself, what its first layer
    gets counts.
    """
    found = next((layer for layer in run.first_layers if layer.feature_std), None) or real_inputs(run, "train")
    spreads = sorted(spread for spread in found.feature_std if spread > 1e-12) if found else []
    if len(spreads) < 2:
        return "the deviation of single features is not known"
    small, large = spreads[len(spreads) // 10], spreads[-1]
    ratio = large / small
    return Measured(
        ratio,
        f"std of {len(spreads)} input features runs from {num(small)} to {num(large)}, a factor of {num(ratio)} "
        "(up to 100 is common)",
        values={"smallest": spreads[0], "largest": large},
    )


@sign(
    "target-scale-large",
    questions.DATA,
    "condition",
    Scale(10.0, 1000.0, log=True),
    from_start=True,
    check=checks.SCALES,
)
def target_scale_large(run: Run) -> Measured | str:
    """The size of regression targets against 1, the size of an untrained output: their root mean square.

    Up to ten is covered in a few steps; a thousand keeps the last bias travelling for the whole run.
    """
    targets = run.training_targets
    size = targets.root_mean_square
    calls = [call for call in run.training_losses if call.kind]
    if size is None or targets.kind != "values" or (calls and all(c.kind not in REGRESSION for c in calls)):
        return "no regression targets were looked at"
    return Measured(
        size,
        f"target RMS is {num(size)} (mean {num(targets.mean or 0.0)}, std "
        f"{num(targets.std or 0.0)}; an untrained output is about 1)",
        values={"rms": size},
    )


PROOF = "The values themselves, before the model runs."


def _losses_finite(run: Run, _sign: Sign) -> str | None:
    """Where the data hold NaN all the same, the script masks them, or they mark what is missing."""
    return "every training loss is finite" if all_finite(run) and birth(run) is None else None


REFUTERS = (Fact("The script masks them: losses stay finite.", _losses_finite),)


@sign(
    "input-nonfinite",
    questions.DATA,
    "fault",
    core=True,
    check=checks.FINITE_DATA,
    proof=PROOF,
    refuters=REFUTERS,
)
def input_nonfinite(run: Run) -> Measured | str:
    """NaN or Inf in the inputs before the model runs. They reach the model unless the script masks them."""
    flags = [event.details.inputs_finite for event in run.events_of("nonfinite-loss")]
    return _nonfinite(run, "input", run.training_data.nonfinite, flags)


@sign(
    "target-nonfinite",
    questions.DATA,
    "fault",
    check=checks.FINITE_DATA,
    proof=PROOF,
    refuters=REFUTERS,
)
def target_nonfinite(run: Run) -> Measured | str:
    """NaN or Inf in the targets before the loss."""
    flags = [event.details.targets_finite for event in run.events_of("nonfinite-loss")]
    return _nonfinite(run, "target", run.training_targets.nonfinite, flags)


def _nonfinite(run: Run, part: str, found: float | None, flags: list[bool | None]) -> Measured | str:
    """How many non-finite numbers the inputs or targets (`part`) hold."""
    origins = [event for event in run.events_of("nonfinite-origin") if event.details.where == part]
    if found is None and not origins and not any(flag is not None for flag in flags):
        return f"the {part}s were not looked at"
    seen = bool(origins) or False in flags
    corrupted = seen or (found or 0.0) > 0
    events = [*run.events_of("nonfinite-loss"), *origins]
    values = f"{num(found)} NaN or Inf values" if found else "NaN or Inf"
    return Measured(
        float(found or seen),
        f"the {part}s contain {values} before the model runs" if corrupted else f"all {part}s seen are finite",
        float(corrupted),
        onset=events[0].step if events else None,
        values={"nonfinite": number(found)},
    )


PEAKS = {
    "input_max": "largest input",
    "target_max": "largest target",
    "input_rms": "input RMS",
}


FEWEST = 5
BURST = 5  # steps: a jump this soon after another is its aftermath
NOT_NOTED = 5  # the last step of which the observer notes no jump
FAR = 10.0  # times the median loss


def _at(series: Series, step: int) -> float | None:
    """The largest value at that step."""
    found = [abs(float(value)) for value in series.values[series.steps == step]]
    return max(found, default=None)


def _jumps(run: Run) -> dict[int, Details]:
    """The first of each burst of jumps, and what was noted of its batch."""
    found = {event.step: event.details for event in run.events_of("loss-jump") if event.step is not None}
    curve = ordered(run.series("loss/train"))
    level = median(abs(curve.values))
    if level:
        early = curve.steps[(curve.steps <= NOT_NOTED) & (curve.values > FAR * level)]
        # A first loss far above all others is where training begins, not a jump.
        found.update((int(step), absent(Details)) for step in early if step > 0 and int(step) not in found)
    starts: dict[int, Details] = {}
    last = -BURST - 1
    for step in sorted(found):
        if step - last > BURST:
            starts[step] = found[step]
        last = step
    return starts


@sign("batch-outlier", questions.DATA, "condition")
def batch_outlier(run: Run) -> Measured | str:
    """Whether the batches at the loss's jumps are outliers in the data themselves: largest input or target against
    usual.

    For each jump the batch's extremes are divided by their median over the run. Five times the usual at most of the
    jumps means that certain samples cause them; ordinary batches at the jumps mean that they do not. A jump that
    closely follows another one is its consequence. The observer records jumps once the loss has a level; jumps of the
    very first steps are read from the curve.
    """
    usual: list[tuple[str, Series, float]] = []
    for name in PEAKS:
        series = ordered(run.series(name))
        middle = median(abs(series.values))
        if len(series) >= FEWEST and middle is not None and middle > 1e-300:
            usual.append((name, series, middle))
    if not usual:
        return "the batches' extremes were not recorded"
    jumps = _jumps(run)
    if not jumps:
        return Measured(0.0, "the loss has no spike")
    worst: list[tuple[float, str, int]] = []
    for step, noted in jumps.items():
        ratios = []
        for name, series, middle in usual:
            known: float | None = getattr(noted, name, None)
            value = known if known is not None else _at(series, step)
            if value is not None:
                ratios.append((min(abs(value) / middle, 1e300), name, step))
        if ratios:
            worst.append(max(ratios))
    ratio = median(found[0] for found in worst)
    if ratio is None:
        return "the batches at the loss's jumps were not looked at"
    outlying = [found for found in worst if found[0] > 5.0]
    share = len(outlying) / len(worst)
    peak = max(worst)
    level = ramp(peak[0], 3.0, 10.0, log=True) * ramp(share, 0.2, 0.6)
    return Measured(
        peak[0],
        f"the batch is an outlier at {len(outlying)} of {counted(len(worst), 'loss spike')}; at step {peak[2]} its "
        f"{PEAKS.get(peak[1], peak[1])} is {num(peak[0])} times the run's median",
        level,
        onset=min((found[2] for found in outlying), default=None),
        values={"jumps": len(worst), "outlying": len(outlying), "steps": [found[2] for found in outlying][:20]},
    )
