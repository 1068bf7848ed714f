"""The physician's trees: data that hold together, and paths that show where each answer comes from."""

from __future__ import annotations

import pytest

from traindx.conditions import all_conditions
from traindx.consult import answer, begin, conclude
from traindx.consult.matching import all_symptoms, walk
from traindx.consult.questions import all_questions
from traindx.signs import Sign, Signs, all_signs

WANTED = {
    "not-learning",
    "plateau",
    "slow",
    "oscillating",
    "nan",
    "exploding",
    "vanishing",
    "overfitting",
    "slow-training",
}


def signs(**levels):
    return Signs(
        {n.replace("_", "-"): Sign(n.replace("_", "-"), 0, v, f"{n} was measured.") for n, v in levels.items()}, {}
    )


def test_every_symptom_has_a_tree():
    assert set(all_symptoms()) == WANTED
    assert all(symptom.forks and symptom.leaves for symptom in all_symptoms().values())


@pytest.mark.parametrize("symptom", all_symptoms().values(), ids=lambda symptom: symptom.id)
def test_a_tree_holds_together(symptom):
    for reading in symptom.readings:
        assert set(reading.signs) <= set(all_signs()) and reading.condition in all_conditions() and reading.words
    assert set(symptom.first) <= set(all_questions())
    places = {fork.id for fork in symptom.forks} | set(symptom.leaves)
    assert len(places) == len(symptom.forks) + len(symptom.leaves), "a fork and an end of one name"
    order = [fork.id for fork in symptom.forks]
    reached = {order[0]}
    for i, fork in enumerate(symptom.forks):
        assert {*fork.yes, *fork.no, *([fork.sign] if fork.sign else [])} <= set(all_signs())
        assert fork.question in all_questions()
        for place in (fork.if_yes, fork.if_no, fork.if_unknown):
            assert place in places
            assert place in symptom.leaves or order.index(place) > i, "no way back: every walk ends"
            reached.add(place)
    assert reached == places


@pytest.mark.parametrize("symptom", all_symptoms().values(), ids=lambda symptom: symptom.id)
def test_a_walk_that_knows_nothing_still_ends_somewhere(symptom):
    path = walk(symptom, signs())
    assert path.ends and path.settled == 0


def test_a_plateau_with_healthy_gradients_and_a_usual_rate_leads_on_to_the_loss():
    plateau = all_symptoms()["plateau"]
    path = walk(plateau, signs(loss_plateau=0.9, gradients_zero=0.0, rate_above_usual=0.0, loss_broadcasts=1.0))
    assert [step.answer for step in path.steps] == ["yes", "yes", "no"]
    assert path.ends == plateau.leaves["outputs"]
    assert {step.by for step in path.steps} == {"measured"}


def test_the_path_says_what_was_asked_and_what_was_said():
    state = answer(answer(begin(), "symptoms", ["nan"]), "first-nan", "3")
    state = answer(state, "nonfinite-data", "found")
    [tree] = conclude(state)["trees"]
    assert [(step["answer"], step["by"]) for step in tree["path"]] == [("yes", "told"), ("no", "told")]
    assert tree["leads_to"].startswith("Clean the data first")
