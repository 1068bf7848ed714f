"""What to do now, where several signs say the same."""

from __future__ import annotations

from ...record import Run
from .._base import Sign
from ..curve import stop


def overfit_a_batch(_sign: Sign, run: Run) -> str:
    return (
        f"{stop(run)} before one batch was overfitted (traindx check): so far nothing shows that the model can learn."
    )


def compare_the_data(_sign: Sign, run: Run) -> str:
    return f"{stop(run)}: what it learns does not carry over. Compare how training and validation data are prepared."
