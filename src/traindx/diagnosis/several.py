"""Further faults in the same run: what is wrong beside the leading cause and not because of it.

The hypotheses of a diagnosis exclude each other, which is right for what is inferred from a curve. Two mistakes in one
program do not: each is *seen* by signs of its own. So the signs that the leading cause accounts for are taken out, and
the rest is judged anew. Only faults of the program itself count: dead units, odd batches or a gap may follow from
anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from .model import Model

# Signs that show a line of the program to be wrong, and that no course of a training brings about.
OF_THE_PROGRAM = frozenset(
    {
        "accumulation-unscaled", "axes-scrambled", "backward-without-step", "batches-single-class",
        "class-ids-in-regression-loss", "clip-before-unscale", "clip-far-below-norm", "decay-forgets", "errors-cancel",
        "eval-in-train-mode", "feature-determines-target", "fresh-layers-frozen", "future-visible", "grads-kept",
        "input-scale-odd", "labels-without-sign", "linear-chain", "loss-broadcasts", "loss-inputs-are-probabilities",
        "loss-inputs-not-log-probabilities", "loss-negated", "loss-over-one-class",
        "optimizer-setting-odd", "params-outside-optimizer", "params-without-gradient", "rates-for-logarithms",
        "rows-identical", "samples-shared", "scheduler-steps-often", "softmax-over-batch",
        "targets-not-probabilities", "targets-outside-output-range", "train-in-eval-mode",
    }
)  # fmt: skip
PLAIN = 0.7  # the level from which such a sign is taken for seen
LIKELY = 0.5
MOST = 3


def further_faults(model: Model, levels: Mapping[str, float], first: str, kind: str) -> list[tuple[str, float]]:
    """Causes that are seen beside `first`, and the probability of each once that is mended; surest first."""
    found: list[tuple[str, float]] = []
    mended = [first]
    while len(found) < MOST:
        following = _next_fault(model, levels, mended, kind)
        if following is None:
            break
        found.append(following)
        mended.append(following[0])
    return found


def _next_fault(model: Model, levels: Mapping[str, float], mended: list[str], kind: str) -> tuple[str, float] | None:
    accounted = {*mended, *(name for known in mended for name in model.causes[known].explains)} & set(model.causes)
    gone = {sign for name in accounted for sign in model.causes[name].supports}
    left = {sign: level for sign, level in levels.items() if sign not in gone}
    chances = model.probabilities(left, kind)
    candidates = [
        (name, chances[name])
        for name, cause in model.causes.items()
        if name not in accounted
        and not set(cause.explains) & set(mended)  # it would have led
        and max((left.get(sign, 0.0) for sign in OF_THE_PROGRAM.intersection(cause.seen_by)), default=0.0) >= PLAIN
        and chances[name] >= LIKELY
    ]
    return max(candidates, key=lambda item: item[1], default=None)
