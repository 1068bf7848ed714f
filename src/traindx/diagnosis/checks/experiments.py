"""Questions that only an experiment answers: what the output depends on, overfitting one batch, repeatability."""

from __future__ import annotations

from collections.abc import Sequence

from ...record import Run
from ...record.experiments import Dependence, Memorised
from .types import Answer


def dependence(run: Run) -> list[Answer]:
    """What the output depends on, from the fact of that name."""
    found = run.dependence

    def reason(key: str) -> str:
        return found.reason(key) or ("could not be tested" if found else "the first step was not reached")

    return [_input(found, reason("input")), _samples(found, reason("samples")), *_future(found, reason("future"))]


def _input(found: Dependence, reason: str) -> Answer:
    if found.depends_on_input is None:
        return Answer("depends-on-input", "wiring", "unasked", reason)
    if found.depends_on_input:
        return Answer("depends-on-input", "wiring", "passed", "the output depends on the input")
    return Answer("depends-on-input", "wiring", "failed", "the output does not depend on the input")


def _samples(found: Dependence, reason: str) -> Answer:
    if found.mixes_samples is None:
        return Answer("samples-apart", "wiring", "unasked", reason)
    if not found.mixes_samples:
        return Answer("samples-apart", "wiring", "passed", "the output for a sample depends on that sample alone")
    i, j = found.mixed_pair or (0, 0)
    text = f"the output for sample {i} depends on sample {j} of the batch: look for a view, a reshape or a wrong axis"
    return Answer("samples-apart", "wiring", "failed", text, {"pair": [i, j]})


def _future(found: Dependence, reason: str) -> list[Answer]:
    if not found.next_token:
        return []  # the question only exists for models that predict the next token
    if found.sees_future is None:
        return [Answer("no-future", "wiring", "unasked", reason)]
    if not found.sees_future:
        return [Answer("no-future", "wiring", "passed", "no output sees a later token")]
    at = found.future_position
    text = f"the output at position {at} changes with later tokens, which are its targets: the causal mask is missing"
    return [Answer("no-future", "wiring", "failed", text, {"position": at})]


RESULTS = {
    "learnt": "passed", "falling": "unasked", "stuck": "failed", "constant": "doubtful", "not finite": "failed",
    "unknown": "unasked",
}  # fmt: skip


def memorised(run: Run, rest: list[Answer]) -> Answer:
    """What overfitting one batch showed; `rest` are the other answers."""
    found, further = run.memorise, run.other_rates
    status, went = RESULTS[found.result], f"{_loss(found.first)} → {_loss(found.last)}"
    if found.result == "unknown":
        text = found.why_not
        if found.last is not None:
            text += f" (loss {went} in {found.steps} steps)"
    else:
        text = f"one batch, {found.steps} steps: loss {went}"
        if found.floor is not None and not _wrong_loss_inputs(rest):
            constant = _loss(found.trivial)
            text += f" (best possible {abs(found.floor):.2g}, a constant prediction gives {constant})"
        text += {
            "learnt": "",
            "falling": "; still decreasing: allow more --steps or --seconds",
            "stuck": "; one batch was not overfitted. " + _implied(further, rest),
            "constant": f"; {found.why_not}",
            "not finite": "; then NaN/Inf. " + _implied(further, rest),
        }[found.result]
    return Answer("one-batch", "learning", status, text, dict(run.facts["memorise"]))  # type: ignore[arg-type]


def _loss(value: float | None) -> str:
    """A loss that is not finite stands in no record."""
    return "nan" if value is None else f"{value:.3g}"


def _wrong_loss_inputs(rest: list[Answer]) -> bool:
    """Whether the loss is computed from the wrong values: then the lowest possible loss is a different one."""
    return any(answer.id == "loss-inputs" and answer.status == "failed" for answer in rest)


def _implied(further: Sequence[Memorised], rest: list[Answer]) -> str:
    """What the failure means, given everything else."""
    failed = [answer for answer in rest if answer.status == "failed"]
    if failed:
        return f"Fix the failed {failed[0].group} check first: {failed[0].id}"
    helped = [other.factor for other in further if other.result == "learnt"]
    if helped:
        factor = helped[0]
        way = "high" if factor < 1 else "low"
        return f"At {factor:g} times the learning rate it was, so the learning rate is too {way}: run traindx lr"
    if not further:
        return "Check the learning rate, the loss, the targets and the model's capacity"
    tried = " and ".join(f"{other.factor:g}" for other in further)
    return (
        f"Nor was it at {tried} times the learning rate: check the path from input to loss (detached or frozen parts, "
        "the wrong loss or axis, targets that do not belong to the inputs), or give the model more units"
    )


def same_start(run: Run) -> Answer:
    found, values = run.starts, dict(run.facts["starts"])
    if found.result == "unknown":
        return Answer("same-start", "repeatability", "unasked", found.why_not)
    if found.result == "same":
        text = f"two runs have bit-identical losses for {found.steps} steps"
        return Answer("same-start", "repeatability", "passed", text)
    if found.result == "seed":
        text = (
            "two runs differ, and agree when traindx seeds them: the script leaves something unseeded "
            "(torch.manual_seed, numpy, random, or the order of a set of strings). Seed it to make runs comparable"
        )
        return Answer("same-start", "repeatability", "doubtful", text, values)
    at = found.differs_at
    text = f"two runs with the same seed differ from step {at} on: compare means of several runs, not single runs"
    return Answer("same-start", "repeatability", "doubtful", text, values)
