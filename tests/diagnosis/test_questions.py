"""What is said to have been checked was measured, in the sign's own words."""

from __future__ import annotations

from traindx.diagnosis.questions import checked, questions
from traindx.signs import Sign, Signs, all_signs
from traindx.signs.questions import ORDER


def normal(*ids: str) -> Signs:
    return Signs({sign: Sign(sign, 0.0, 0.0, f"{sign} is normal.") for sign in ids}, {})


def test_every_sign_answers_a_question_and_every_question_has_a_sign() -> None:
    asked = {unit.question for unit in all_signs().values()}
    assert asked == set(ORDER)


def test_only_a_sign_that_can_answer_alone_says_that_all_is_normal() -> None:
    assert not all_signs()["accumulation-unscaled"].core and all_signs()["grads-kept"].core
    assert checked(normal("accumulation-unscaled")) == []
    assert checked(normal("accumulation-unscaled", "grads-kept")) == ["grads-kept is normal."]


def test_a_question_with_a_finding_is_not_checked() -> None:
    wrong = Sign("accumulation-unscaled", 4.0, 1.0, "Four backward passes are summed.", onset=0, severity="critical")
    found = Signs({wrong.id: wrong, "grads-kept": Sign("grads-kept", 0.0, 0.0, "cleared")}, {})
    assert checked(found) == []
    assert [(q.finding, q.trouble) for q in questions(found)] == [(wrong.text, True)]


def test_a_choice_is_no_finding() -> None:
    constant = Sign("lr-constant", 1.0, 1.0, "The learning rate never changes.")
    assert questions(Signs({constant.id: constant}, {})) == []
