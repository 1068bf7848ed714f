"""What a conclusion advises besides the causes: which commands measure what the interview could not, what a record
knows about memory, how to go on after NaN, a spike or a divergence, and when to stop debugging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from ..causes import all_causes
from ..diagnosis import Diagnosis
from ..record import Run
from ..signs import Sign, Signs
from ..wording import num, num4, round_figure
from .matching import Path

SCRIPT = "train.py"
LEADERS = 5
MEMORY = "memory/"
MOST_PARTS = 5
BROKEN = ("loss-not-finite", "loss-diverged", "loss-spike", "early-instability", "loss-oscillating")
# Causes that are not due to the size of the step: after the fix, the old learning rate is right.
NOT_THE_STEP = frozenset(
    ("nonfinite-data", "unstable-math", "low-precision", "bad-batch", "missing-zero-grad", "unscaled-accumulation")
)
MARGIN = 0.9  # resume from before this share of the steps: a checkpoint just before the break may be damaged
THE_STEP = frozenset(("lr-too-high", "no-warmup"))  # causes whose fix names the learning rate
SPIKE_CUT, CUT = 1 / 2, 1 / 3
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


@dataclass(frozen=True)
class Command:
    command: str
    settles: Sequence[str]  # those of the leading causes that it can confirm or refute
    why: str
    verb: str = ""


WHY = {
    "check": "one or two minutes, isolated: data, first loss, gradient flow, and whether one batch can be overfitted",
    "lr": "a minute or two, isolated: at which learning rate the loss falls fastest, and at which it diverges",
    "run": "your real run, observed: gradients, steps, data, wiring, and the operation that makes a NaN",
    "run --deep": "the same with replays: whether the batch or the step caused a spike, and the gradient noise",
    "treat": "tests the fixes of the most likely causes in short controlled runs, and shows the patch that helped",
}


def commands(diagnosis: Diagnosis, run: Run, broken: bool) -> list[Command]:
    """The commands that measure, ordered by how many of the likely causes they settle."""
    leaders = [h for h in diagnosis.hypotheses if h.cause in all_causes()][:LEADERS]
    script = _script(run)
    found = []
    for verb, why in WHY.items():
        if verb == "treat" and find_spec("traindx.commands.treat") is None:
            continue
        if verb == "run --deep" and not broken:
            continue
        settles = [h for h in leaders if verb in all_causes()[h.cause].settled_by]
        weight = sum(h.confidence for h in settles)
        found.append((weight, Command(f"traindx {verb} {script}", [h.cause for h in settles], why, verb)))
    order = sorted(range(len(found)), key=lambda i: (-found[i][0], i))
    return [found[i][1] for i in order]


def for_script(command: str, run: Run) -> str:
    """The command with the script that this run recorded."""
    return command.replace(SCRIPT, _script(run))


def _script(run: Run) -> str:
    return run.script.called if run.script.path else SCRIPT


def memory_known(run: Run) -> list[str]:
    """Sentences with numbers; empty if nothing was recorded."""
    total = run.series("memory").finite
    found = []
    if total:
        peak, first = float(total.values.max()), float(total.values[0])
        at = int(total.steps[int(total.values.argmax())])
        found.append(
            f"Memory was {_size(first)} at step {int(total.steps[0])} and {_size(peak)} at its highest (step {at})."
        )
    parts = {name.removeprefix(MEMORY): run.series(name).finite for name in run.series_names if name.startswith(MEMORY)}
    largest = sorted(((float(s.values.max()), name) for name, s in parts.items() if s), reverse=True)[:MOST_PARTS]
    found += [f"{name}: {_size(size)} at most." for size, name in largest]
    models = [model.elements for model in run.models if model.elements]
    if models:
        weights = 4 * sum(models)
        found.append(
            f"The weights alone take {_size(weights)} in float32; with gradients and Adam's moments "
            f"{_size(4 * weights)}. The rest is activations, which shrink with the batch."
        )
    return found


def _size(size: float) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def recovery(run: Run, signs: Signs, diagnosis: Diagnosis) -> list[str]:
    """Three sentences: the checkpoint, the learning rate, batch or step. Empty if nothing broke."""
    broken = next((signs[name] for name in BROKEN if name in signs and signs[name].raised), None)
    if broken is None or broken.id == "loss-oscillating":  # a loss that only oscillates needs no checkpoint
        return []
    return [_checkpoint(run, broken), _rate(run, broken, diagnosis), _batch_or_step(diagnosis)]


def _checkpoint(run: Run, broken: Sign) -> str:
    onset = broken.onset
    if onset is None:
        return (
            "Go back to the last checkpoint before the loss or the gradient norm first rose. The newest one may be "
            "damaged already."
        )
    if onset < 50:
        return f"It broke at step {onset}, too early to save anything: start again from the initial weights."
    loss = run.series("loss/train").finite
    before = loss.steps < onset
    best = f" The lowest loss before it was {num4(float(loss.values[before].min()))}." if before.any() else ""
    return (
        f"Go back to the last checkpoint before step {int(onset * MARGIN)}; one saved just before step {onset} may "
        f"already be damaged.{best}"
    )


def _rate(run: Run, broken: Sign, diagnosis: Diagnosis) -> str:
    leading = next((h for h in diagnosis.hypotheses if h.cause not in ("healthy", "unknown")), None)
    if leading is not None and leading.cause in NOT_THE_STEP:
        return f"Resume at the same learning rate once this is fixed: {leading.title}. A lower one would only hide it."
    if leading is not None and leading.cause in THE_STEP and leading is diagnosis.leading:
        return "Resume at the learning rate that the fix above names, raised over the first 100 steps."
    factor = SPIKE_CUT if broken.id == "loss-spike" else CUT
    rates = run.series("lr").finite.values
    rate = float(rates[rates > 0].max()) if (rates > 0).any() else None
    if rate is None:
        share = "half" if factor == SPIKE_CUT else "a third"
        return f"Resume at {share} of the learning rate, raised over the first 100 steps, until the cause is known."
    return (
        f"Resume at a learning rate of {num(round_figure(rate * factor))} (it was {num(rate)}), raised over the first "
        "100 steps, until the cause is known."
    )


def _batch_or_step(diagnosis: Diagnosis) -> str:
    told = next((text for text in diagnosis.looks if "spike" in text.lower()), "")
    if told:
        return told
    return (
        "Was it the batch or the step? `traindx run --deep train.py` replays the batch on the weights of one step "
        "earlier: if it is bad there too, it is the batch; if not, the step."
    )


def when_to_stop(paths: Sequence[Path], signs: Signs) -> list[str]:
    """Three sentences: what is settled, which tests are left, and what to do after them."""
    measured = {name for name, sign in signs.items() if not sign.values.get("told")}
    made = [test for test, names in TESTS.items() if measured & {*names}]
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
