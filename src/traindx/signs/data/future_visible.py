"""Whether a model that predicts the next token can see it: attention weight on later positions, or a reversed pass.

Only where the targets are the inputs shifted by one; encoders that fill gaps may look ahead. Where it was tried (fact
`dependence`), that decides. Else: a causal model has no weight above the diagonal at all, an unmasked one about half.
"""

from __future__ import annotations

from ...record import Run
from ...record.values import number, text, truth
from ...wording import num, percent
from .. import questions
from .._base import Missing, Sign, if_raised, place, ramp

ID = "future-visible"
QUESTION = questions.VALIDATION
SHOWS = "fault"
RIVAL = ("data", 2.0)


def measure(run: Run) -> Sign | Missing:
    shifted = truth(run.fact("shift_relation").get("targets_are_next_inputs"))
    if shifted is None:
        return Missing(ID, "targets were not compared with shifted inputs")
    if truth(run.fact("shift_relation").get("targets_are_inputs")):
        return Sign(
            ID,
            1.0,
            1.0,
            "the targets equal the inputs position by position, so copying the input solves the task",
            onset=0,
            severity="critical",
        )
    if not shifted:
        return Sign(ID, 0.0, 0.0, "the targets are not the next tokens")
    tried = truth(run.fact("dependence").get("sees_future"))
    if tried is not None:
        at = number(run.fact("dependence").get("future_position"))
        words = (
            f"the output at position {num(at or 0)} depends on later tokens"
            if tried
            else "no output depends on later tokens"
        )
        return Sign(
            ID,
            float(tried),
            float(tried),
            words,
            onset=0 if tried else None,
            severity=if_raised(float(tried), "critical"),
        )
    seen = [(number(entry.get("seen_future_weight")), entry) for entry in run.entries("attention")]
    # Fused attention does not show its weights; without any mask it sees everything.
    open_to_all = [(0.5, entry) for _, entry in seen if entry.get("causal") is False and entry.get("masked") is False]
    weights = [(weight, entry) for weight, entry in seen if weight is not None] + open_to_all
    both_ways = [module for module in run.modules if module.settings.get("bidirectional") is True]
    if not weights and not both_ways and not any(module.recurrent for module in run.modules):
        return Missing(ID, "no attention and no recurrent layer was looked at")
    weight, entry = max(weights, key=lambda pair: pair[0], default=(0.0, {}))
    level = 1.0 if both_ways else ramp(weight, 0.005, 0.1)
    name = text(entry.get("module")) or "attention"
    return Sign(
        ID,
        1.0 if both_ways else weight,
        level,
        f"`{both_ways[0].name or both_ways[0].type}` is bidirectional, but the targets are the next tokens"
        if both_ways
        else f"`{name}` puts {percent(weight)} of its attention on later positions (0 % is expected where the targets "
        f"are the next tokens){place(entry.get('site'))}",
        onset=0 if level >= 0.5 else None,
        severity=if_raised(level, "critical"),
        values={"weight": weight},
    )
