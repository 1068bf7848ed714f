"""Free words: symptoms, wishes and matters for others, with slips of spelling and denials."""

from __future__ import annotations

import pytest

from traindx.consult import answer, begin, conclude, next_question
from traindx.consult.matching import heard, recognise, sayings


def found(text, kind):
    return {match.id for match in recognise(text) if match.kind == kind}


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("my loss is not decreasing at all", "plateau"),
        ("Loss doesn't decrease after epoch 3", "plateau"),
        ("it's stuck at 0.693", "plateau"),
        ("the model isn't learning anything", "plateau"),
        ("converges very slowly", "slow"),
        ("training loss oscilates wildly", "oscillating"),
        ("loss goes up after a while", "oscillating"),
        ("I get NaN after 200 steps", "nan"),
        ("loss: nan", "nan"),
        ("exploding gradients in my LSTM", "exploding"),
        ("vanishing gradient problem", "vanishing"),
        ("the net is overfiting badly", "overfitting"),
        ("val loss increases while train loss falls", "overfitting"),
        ("GPU utilization is at 10 %", "slow-training"),
        ("every epoch gets slower and slower", "slow-training"),
    ],
)
def test_symptoms_are_recognised(text, symptom):
    assert symptom in found(text, "symptom")


@pytest.mark.parametrize("text", ["there is no nan anywhere", "it is not overfitting", "without any spikes"])
def test_what_is_denied_is_no_symptom(text):
    assert not found(text, "symptom") & {"nan", "overfitting", "oscillating"}


@pytest.mark.parametrize("text", ["", "hello", "the quick brown fox", "информация", "🤖" * 50, "a" * 5000])
def test_words_about_nothing_match_nothing(text):
    assert recognise(text) == []


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("just tell me which optimizer to use", "which-optimizer"),
        ("let me try some learning rates at random", "random-rate"),
        ("demo tomorrow, need a quick fix", "quick-fix"),
        ("I think it needs more epochs", "more-epochs"),
        ("maybe my model is too small", "bigger-model"),
        ("should I do a hyperparameter search with optuna", "search"),
        ("can I just skip the nan batches", "ignore-nan"),
    ],
)
def test_wishes_get_the_measurement_that_decides_them(text, wish):
    assert wish in found(text, "wish")
    state = answer(answer(begin(), "symptoms", ["other"]), "words", text)
    said = next(w for w in conclude(state)["wishes"] if w["wish"] == wish)
    assert said["command"].startswith("traindx ")
    assert said["answer"].count(". ") <= 1, "one or two sentences"


@pytest.mark.parametrize(
    ("text", "matter", "verdict"),
    [
        ("CUDA out of memory at batch 64", "memory", "out-of-scope"),
        ("DataLoader worker (pid 312) is killed by signal", "loader", "out-of-scope"),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied", "shapes", "out-of-scope"),
        ("my PPO agent never gets a reward", "reinforcement", "out-of-scope"),
        ("CUDA error: device-side assert triggered", "device", "out-of-scope"),
        ("which architecture should I choose", "architecture", None),
    ],
)
def test_what_is_out_of_scope_is_handed_over_at_once(text, matter, verdict):
    state = answer(answer(begin(), "symptoms", ["other"]), "words", text)
    assert next_question(state) is None
    result = conclude(state)
    assert matter in [pointer["matter"] for pointer in result["out_of_scope"]]
    if verdict:
        assert result["diagnosis"]["verdict"] == verdict


def test_a_symptom_beside_it_is_still_judged():
    state = answer(answer(begin(), "symptoms", ["nan"]), "words", "it is a PPO agent")
    assert conclude(state)["diagnosis"]["verdict"] == "sick"


def test_free_words_answer_questions_by_the_way():
    said = heard("My LSTM trained with Adam, learning rate 0.1, only ever predicts the majority class")
    assert said["model-kind"] == "recurrent"
    assert said["predictions"] == "one-class"
    state = answer(answer(begin(), "symptoms", ["plateau"]), "words", "Adam with lr=0.1 does not learn")
    evidence = [text for h in conclude(state)["diagnosis"]["hypotheses"] for text in h["evidence"]]
    assert any("learning rate of Adam is 0.1" in text for text in evidence)


def test_every_saying_has_words_of_its_own():
    for folder in ("wishes", "handovers"):
        for saying in sayings(folder):
            assert saying.words and saying.answer.endswith((".", ")"))
