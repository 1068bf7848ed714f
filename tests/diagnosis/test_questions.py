"""What is said to have been checked was checked."""

from __future__ import annotations

from traindx.diagnosis.questions import _ASKED, _CORE, checked, questions
from traindx.signs import Sign, Signs, all_signs

CLEARED = "gradients are cleared every step, and all parameters move"


def normal(*ids: str) -> Signs:
    return Signs({sign: Sign(sign, 0.0, 0.0, "as it should be") for sign in ids}, {})


def test_every_sign_that_is_asked_for_exists():
    known = all_signs()
    assert [sign for _, ids, _ in _ASKED for sign in ids if sign not in known] == []
    assert set(_CORE) <= {asked for asked, _, _ in _ASKED}
    assert all(core <= set(ids) for asked, ids, _ in _ASKED if (core := _CORE.get(asked)))


def test_a_part_of_a_question_is_no_answer_to_it():
    assert CLEARED not in checked(normal("accumulation-unscaled"))
    assert CLEARED in checked(normal("accumulation-unscaled", "grads-kept"))


def test_what_is_amiss_is_said_whatever_else_was_measured():
    wrong = Sign("accumulation-unscaled", 4.0, 1.0, "four backward passes are summed", onset=0, severity="critical")
    assert [q.finding for q in questions(Signs({wrong.id: wrong}, {}))] == [wrong.text]
