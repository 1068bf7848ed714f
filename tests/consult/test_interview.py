"""The interview apart from any screen: a state that is plain JSON, questions in the order of what they settle."""

from __future__ import annotations

import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from traindx.consult import AnswerError, answer, begin, conclude, next_question, skip
from traindx.consult.interview import MOST
from traindx.consult.matching import OTHER, all_symptoms
from traindx.consult.questions import all_questions
from traindx.diagnosis import how_often


def test_a_state_survives_json_at_every_moment():
    state = answer(begin(), "symptoms", "nan")
    kept = json.loads(json.dumps(state))
    assert next_question(kept) == next_question(state)
    assert conclude(kept) == conclude(state)


def test_the_word_of_a_person_is_marked_and_never_seen_directly():
    state = answer(answer(begin(), "symptoms", ["plateau"]), "loss-function", "softmax-first")
    found = conclude(state)["diagnosis"]
    leading = next(h for h in found["hypotheses"] if h["cause"] == "double-softmax")
    assert leading["basis"] == "suspected"
    assert any("You said" in text for text in leading["evidence"])


def test_numbers_enter_the_same_signs_as_measured_ones():
    state = answer(answer(begin(), "symptoms", ["plateau"]), "optimizer", "Adam lr=0.1")
    evidence = [text for h in conclude(state)["diagnosis"]["hypotheses"] for text in h["evidence"]]
    assert any(text.startswith("By what you said, the learning rate of Adam is 0.1") for text in evidence)


ORDER = {
    "not-learning": ["optimizer", "chance", "norms"],
    "plateau": ["optimizer", "schedule", "norms"],
    "overfitting": ["numbers", "data-size", "model-size", "regularisation"],
    "nan": ["first-nan", "precision", "loss-function", "norms"],
    "slow-training": ["data-time", "workers", "utilisation"],
}


@pytest.mark.parametrize("symptom", all_symptoms())
def test_the_first_questions_are_those_of_every_guide_and_there_are_eight_at_most(symptom):
    state = answer(begin(), "symptoms", [symptom])
    asked = []
    while question := next_question(state):
        asked.append(question["id"])
        state = skip(state, question["id"])
    assert asked[: len(ORDER.get(symptom, []))] == ORDER.get(symptom, [])
    assert len(asked) <= MOST and len(asked) == len(set(asked))


@pytest.mark.parametrize("text", ["banana", "how do I save a checkpoint", "…", "my cat", "what is this tool"])
def test_where_nothing_is_understood_nothing_is_diagnosed(text):
    state = answer(answer(begin(), "symptoms", [OTHER]), "words", text)
    offered = next_question(state)
    assert offered["id"] == "symptoms" and len(offered["options"]) == len(all_symptoms()) == 9
    assert text in offered["ask"]
    found = conclude(state)
    assert not found["understood"] and found["diagnosis"] is None and not found["likely"]
    assert [name for name, _ in found["symptoms"]] == list(all_symptoms())
    assert next_question(skip(state, "symptoms")) is None
    chosen = answer(state, "symptoms", "nan")
    assert conclude(chosen)["condition"] == "non-finite"


def test_a_fault_that_somebody_reports_comes_first_with_its_fix():
    state = answer(answer(begin(), "symptoms", ["plateau"]), "loss-function", "softmax-first")
    found = conclude(state)
    assert found["likely"][0] | {"title": ""} == {
        "cause": "double-softmax", "title": "", "probability": None, "reported": True, "cases": None,
    }  # fmt: skip
    assert "softmax" in found["do_now"]["text"]


def test_likely_causes_come_with_how_often_they_were_found():
    found = conclude(answer(begin(), "symptoms", ["oscillating"]))
    first = found["likely"][0]
    assert first["cause"] == "lr-too-high" and first["cases"] == list(how_often("oscillating", "lr-too-high"))


@pytest.mark.parametrize("symptom", all_symptoms())
def test_what_was_said_is_never_turned_round(symptom):
    """The statement of the symptom answers a fork only where the fork names that very sign."""
    for reading in all_symptoms()[symptom].readings:
        state = answer(answer(begin(), "symptoms", [OTHER]), "words", reading.said.removeprefix("You said that "))
        found = conclude(state)
        assert found["condition"] == reading.condition, "a reading's own words are understood as that reading"
        assert "You said that" in found["headline"]
        assert found["diagnosis"]["verdict"] == "sick"
        for tree in found["trees"]:
            for step in tree["path"]:
                if step["by"] == "told":
                    fork = next(f for f in all_symptoms()[tree["symptom"]].forks if f.ask == step["ask"])
                    raised = {name for name, level in reading.signs.items() if level >= 0.5}
                    assert raised & {*(fork.yes if step["answer"] == "yes" else fork.no), fork.sign}


def test_pasted_lines_are_read_by_the_readers():
    lines = "\n".join(f"epoch {i} train_loss: {2 / (i + 1):.4f} val_loss: {0.5 + 0.05 * i:.4f}" for i in range(30))
    state = answer(answer(begin(), "symptoms", ["overfitting"]), "losses", lines)
    assert conclude(state)["diagnosis"]["run"]["steps"] == 30
    assert conclude(state)["condition"] == "overfitting"


def test_an_excerpt_that_looks_fine_does_not_refute_a_nan():
    state = answer(answer(begin(), "symptoms", ["nan"]), "losses", "2.1 2.0 1.9 1.8 1.7 1.6 1.5")
    assert conclude(state)["diagnosis"]["verdict"] == "sick"


@pytest.mark.parametrize("text", ["banana", "-1", "lr=0"])
def test_what_cannot_be_understood_is_refused_in_one_line(text):
    state = answer(begin(), "symptoms", ["nan"])
    with pytest.raises(AnswerError) as refused:
        answer(state, "optimizer", text)
    assert "\n" not in str(refused.value)


# Answers of every kind: options, numbers, numbers of the wrong kind, nonsense.
ANYTHING = st.one_of(
    st.none(), st.text(max_size=40), st.sampled_from(["1", "2", "3e-4", "50M", "nan nan", "yes", "no"])
)


@settings(max_examples=12, deadline=None, derandomize=True, phases=[Phase.generate])
@given(st.data())
def test_any_sequence_of_answers_ends_well(data):
    chosen = data.draw(st.lists(st.sampled_from([*all_symptoms(), OTHER]), min_size=1, max_size=3, unique=True))
    state = answer(begin(), "symptoms", chosen)
    seen: list[str] = []
    while asked := next_question(state):
        assert asked["id"] not in seen, "asked twice"
        seen.append(asked["id"])
        keys = [option["key"] for option in asked["options"]]
        said = data.draw(st.one_of(st.sampled_from(keys), ANYTHING) if keys else ANYTHING)
        try:
            state = skip(state, asked["id"]) if said is None else answer(state, asked["id"], said)
        except AnswerError:
            state = skip(state, asked["id"])
    assert len([name for name in seen if name not in ("words", "symptoms")]) <= MOST
    found = conclude(state)
    json.dumps(found, allow_nan=False)
    diagnosis = found["diagnosis"]
    if diagnosis is None:
        assert not found["condition"] and not found["likely"], "nothing said, nothing diagnosed"
        return
    assert sum(h["confidence"] for h in diagnosis["hypotheses"]) <= 1 + 1e-9
    names = [h["cause"] for h in diagnosis["hypotheses"]]
    assert len(names) == len(set(names))
    for h in diagnosis["hypotheses"]:
        assert not set(h["evidence"]) & set(h["against"]), "the same sentence speaks for and against"
        assert h.get("basis") != "seen"
        assert h["cause"] in ("healthy", "unknown") or h["confidence"] < 0.95, "words alone never make sure"
    for name in state["skipped"]:
        assert name not in state["answers"]


def test_every_question_can_be_answered_by_each_of_its_options():
    for question in all_questions().values():
        assert question.why and question.how and (question.options or question.read)
        for i, option in enumerate(question.options, 1):
            assert question.answer(option.key).said == option.label
            assert question.answer(option.label.upper()).said == option.label
            if question.read is None:
                assert question.answer(str(i)).said == option.label
        for text, _ in question.examples:
            question.answer(text)


def test_the_headline_names_a_complaint_that_is_no_outcome():
    state = answer(answer(begin(), "symptoms", ["slow-training"]), "utilisation", "waits")
    found = conclude(state)
    assert found["condition"] == "waiting-for-data" and found["diagnosis"]["verdict"] == "sick"
    assert (
        found["headline"]
        == "Waiting for data, by what you said. You said that the GPU is mostly idle and waits for the loader."
    )
    assert found["run"]["command"] == "traindx run train.py"
