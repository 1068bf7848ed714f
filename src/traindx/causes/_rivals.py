"""Signs that show another fault, which explains the dynamics: evidence against a cause with the same dynamics.

A fault that was seen outranks causes inferred from the dynamics it produces. Each sign names its group and weight
itself (`RIVAL`), in log-odds at level 1: 3 makes the inferred cause twenty times less likely, 1.5 keeps it in play
because both may be true.
"""

from __future__ import annotations

from ..signs import all_signs


def _group(name: str) -> dict[str, float]:
    return {sign.id: sign.rival[1] for sign in all_signs().values() if sign.rival and sign.rival[0] == name}


UPDATE_FAULTS = _group("update")  # the step that is taken is not the step that was meant
LOSS_FAULTS = _group("loss")  # the loss is not the loss that was meant
NUMBER_FAULTS = _group("number")  # non-finite numbers arise by themselves, whatever the steps do
SCALE_FAULTS = _group("scale")  # the size of the data alone drives the steps
SIGNAL_FAULTS = _group("signal")  # the signal does not pass through the model
DATA_FAULTS = _group("data")  # samples and answers do not belong together
MODE_FAULTS = _group("mode")  # the model behaves differently in training and in evaluation
