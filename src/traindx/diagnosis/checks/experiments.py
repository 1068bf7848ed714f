"""Questions that only an experiment answers: what the output depends on, overfitting one batch, repeatability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...record import Run
from .types import Answer


def dependence(run: Run) -> list[Answer]:
    """What the output depends on, from the fact of that name."""
    found: Mapping[str, Any] = run.facts.get("dependence") or {}
    why = {**{key: "the first step was not reached" for key in ("all",) if not found}, **(found.get("why_not") or {})}

    def reason(key: str) -> str:
        return str(why.get(key) or why.get("all") or "could not be tested")

    return [_input(found, reason("input")), _samples(found, reason("samples")), *_future(found, reason("future"))]


def _input(found: Mapping[str, Any], reason: str) -> Answer:
    depends = found.get("depends_on_input")
    if depends is None:
        return Answer("depends-on-input", "wiring", "unasked", reason)
    if depends:
        return Answer("depends-on-input", "wiring", "passed", "the output depends on the input")
    return Answer("depends-on-input", "wiring", "failed", "the output does not depend on the input")


def _samples(found: Mapping[str, Any], reason: str) -> Answer:
    mixes = found.get("mixes_samples")
    if mixes is None:
        return Answer("samples-apart", "wiring", "unasked", reason)
    if not mixes:
        return Answer("samples-apart", "wiring", "passed", "the output for a sample depends on that sample alone")
    i, j = found.get("mixed_pair") or (0, 0)
    text = f"the output for sample {i} depends on sample {j} of the batch: look for a view, a reshape or a wrong axis"
    return Answer("samples-apart", "wiring", "failed", text, {"pair": [i, j]})


def _future(found: Mapping[str, Any], reason: str) -> list[Answer]:
    if not found.get("next_token"):
        return []  # the question only exists for models that predict the next token
    sees = found.get("sees_future")
    if sees is None:
        return [Answer("no-future", "wiring", "unasked", reason)]
    if not sees:
        return [Answer("no-future", "wiring", "passed", "no output sees a later token")]
    at = found.get("future_position")
    text = f"the output at position {at} changes with later tokens, which are its targets: the causal mask is missing"
    return [Answer("no-future", "wiring", "failed", text, {"position": at})]


RESULTS = {
    "learnt": "passed", "falling": "unasked", "stuck": "failed", "constant": "doubtful", "not finite": "failed",
    "unknown": "unasked",
}  # fmt: skip


def memorised(facts: Mapping[str, Any], further: list[Mapping[str, Any]], rest: list[Answer]) -> Answer:
    """What overfitting one batch showed.

    `facts` are those of the trial at the script's own learning rate, `further` those at other learning rates, `rest`
    the other answers.
    """
    result, steps = facts["result"], facts["steps"]
    status = RESULTS[result]
    if result == "unknown":
        text = str(facts["why_not"])
        if facts.get("last") is not None:
            text += f" (loss {facts['first']:.3g} → {facts['last']:.3g} in {steps} steps)"
    else:
        text = f"one batch, {steps} steps: loss {facts['first']:.3g} → {facts['last']:.3g}"
        if facts.get("floor") is not None and not _wrong_loss_inputs(rest):
            text += f" (best possible {abs(facts['floor']):.2g}, a constant prediction gives {facts['trivial']:.3g})"
        text += {
            "learnt": "",
            "falling": "; still decreasing: allow more --steps or --seconds",
            "stuck": "; one batch was not overfitted. " + _implied(further, rest),
            "constant": f"; {facts['why_not']}",
            "not finite": "; then NaN/Inf. " + _implied(further, rest),
        }[result]
    return Answer("one-batch", "learning", status, text, dict(facts))  # type: ignore[arg-type]


def _wrong_loss_inputs(rest: list[Answer]) -> bool:
    """Whether the loss is computed from the wrong values: then the lowest possible loss is a different one."""
    return any(answer.id == "loss-inputs" and answer.status == "failed" for answer in rest)


def _implied(further: list[Mapping[str, Any]], rest: list[Answer]) -> str:
    """What the failure means, given everything else."""
    failed = [answer for answer in rest if answer.status == "failed"]
    if failed:
        return f"Fix the failed {failed[0].group} check first: {failed[0].id}"
    helped = [other for other in further if other["result"] == "learnt"]
    if helped:
        factor = helped[0]["factor"]
        way = "high" if factor < 1 else "low"
        return f"At {factor:g} times the learning rate it was, so the learning rate is too {way}: run traindx lr"
    if not further:
        return "Check the learning rate, the loss, the targets and the model's capacity"
    tried = " and ".join(f"{other['factor']:g}" for other in further)
    return (
        f"Nor was it at {tried} times the learning rate: check the path from input to loss (detached or frozen parts, "
        "the wrong loss or axis, targets that do not belong to the inputs), or give the model more units"
    )


def same_start(facts: Mapping[str, Any]) -> Answer:
    result, steps, at = facts["result"], facts["steps"], facts["differs_at"]
    if result == "unknown":
        return Answer("same-start", "repeatability", "unasked", str(facts["why_not"]))
    if result == "same":
        return Answer("same-start", "repeatability", "passed", f"two runs have bit-identical losses for {steps} steps")
    if result == "seed":
        text = (
            "two runs differ, and agree when traindx seeds them: the script leaves something unseeded "
            "(torch.manual_seed, numpy, random, or the order of a set of strings). Seed it to make runs comparable"
        )
        return Answer("same-start", "repeatability", "doubtful", text, dict(facts))
    text = f"two runs with the same seed differ from step {at} on: compare means of several runs, not single runs"
    return Answer("same-start", "repeatability", "doubtful", text, dict(facts))
