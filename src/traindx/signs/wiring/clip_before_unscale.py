"""Whether gradients were clipped while still multiplied by the loss scale: seen at the call, 1 or 0."""

from __future__ import annotations

from ...record import Run
from ...record.values import number
from ...wording import num
from .. import checks, questions
from .._base import Missing, Sign, place
from .._precision import precision

ID = "clip-before-unscale"
QUESTION = questions.PARAMETERS
SHOWS = "fault"
RIVAL = ("update", 3.0)
CHECK = checks.GRADIENTS_CLEARED


def measure(run: Run) -> Sign | Missing:
    events = run.events_of("clip-before-unscale")
    if not events:
        formats = precision(run)
        if formats is None or not formats.scaler:
            return Missing(ID, "no loss scaler was seen")
        return Sign(ID, 0.0, 0.0, "no gradient was clipped while scaled")
    event = events[0]
    scale, threshold = number(event.data.get("scale")), number(event.data.get("threshold"))
    meaning = ""
    if scale and threshold is not None and abs(scale) >= 1e-300:
        meaning = f": the threshold of {num(threshold)} acts as {num(threshold / scale)} under a scale of {num(scale)}"
    return Sign(
        ID,
        float(len(events)),
        1.0,
        f"gradients were clipped before scaler.unscale_(){meaning}{place(event.data.get('site'))}",
        onset=event.step,
        severity="critical",
        values={"scale": scale, "threshold": threshold},
    )
