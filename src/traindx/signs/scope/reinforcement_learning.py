"""Whether the script trains by reinforcement, where a loss curve means something else: seen or not, 1 or 0."""

from __future__ import annotations

from ...record import Run
from .. import questions
from .._base import Missing, Sign

ID = "reinforcement-learning"
QUESTION = questions.TRAINED
SHOWS = "scope"
# Targets that move with the policy make a loss grow while the policy gets better.
EXCUSES = {"loss-stuck": 0.4, "loss-diverged": 0.4, "loss-heads-wrong-way": 0.4}


def measure(run: Run) -> Sign | Missing:
    seen = run.facts.get("rl")
    if not seen:
        if run.kind != "observed":
            return Missing(ID, "the script was not seen")
        return Sign(ID, 0.0, 0.0, "nothing suggests reinforcement learning")
    names = seen if isinstance(seen, str) else ", ".join(map(str, seen)) if isinstance(seen, (list, tuple)) else ""
    return Sign(ID, 1.0, 1.0, f"the script uses reinforcement learning{f' ({names})' if names else ''}")
