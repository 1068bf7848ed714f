"""The interview apart from any screen: a state that is plain JSON, questions in the order of what they settle."""

from __future__ import annotations

import json

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from interviewing import causes

from traindx.consult import AnswerError, answer, begin, conclude, next_question, skip
from traindx.consult.interview import MOST, MOST_SHOWN
from traindx.consult.questions import all_questions
from traindx.consult.symptoms import OTHER, all_symptoms


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


def test_pasted_lines_are_read_by_the_readers():
    lines = "\n".join(f"epoch {i} train_loss: {2 / (i + 1):.4f} val_loss: {0.5 + 0.05 * i:.4f}" for i in range(30))
    state = answer(answer(begin(), "symptoms", ["overfitting"]), "losses", lines)
    assert conclude(state)["diagnosis"]["run"]["steps"] == 30
    assert causes(state)[0] == "overfitting"


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
    assert len(seen) <= MOST_SHOWN + 1
    assert len([name for name in seen if name in state["answers"] and name != "words"]) <= MOST
    found = conclude(state)
    json.dumps(found, allow_nan=False)
    diagnosis = found["diagnosis"]
    assert sum(h["confidence"] for h in diagnosis["hypotheses"]) <= 1 + 1e-9
    names = [h["cause"] for h in diagnosis["hypotheses"]]
    assert len(names) == len(set(names))
    for h in diagnosis["hypotheses"]:
        assert not set(h["evidence"]) & set(h["against"]), "the same sentence speaks for and against"
        assert h.get("basis") != "seen"
        assert h["cause"] in ("healthy", "unknown") or h["confidence"] < 0.7, "words alone never make sure"
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


def test_the_headline_names_the_likely_cause_of_a_complaint_that_is_no_outcome():
    state = answer(answer(begin(), "symptoms", ["slow-training"]), "utilisation", "waits")
    assert conclude(state)["diagnosis"]["summary"].startswith("By what you said: ")
    assert "data loading" in conclude(state)["diagnosis"]["summary"]
