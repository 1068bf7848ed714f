"""Free words: symptoms, wishes and matters for others, with slips of spelling and denials."""

from __future__ import annotations

import pytest
from benchmarks.consult.understanding import phrases, totals

from traindx.consult import answer, begin, conclude, next_question
from traindx.consult.matching import heard, recognise, sayings


def found(text, kind):
    return {match.id for match in recognise(text) if match.kind == kind}


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("my loss is not decreasing at all", "not-learning"),
        ("Loss doesn't decrease after epoch 3", "plateau"),
        ("it's stuck at 0.693", "not-learning"),
        ("the model isn't learning anything", "not-learning"),
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


@pytest.mark.parametrize(
    ("text", "exactly"),
    [
        ("the loss goes down but validation goes up", {"overfitting"}),
        ("validation loss goes up", {"overfitting"}),
        ("loss goes up", {"oscillating"}),
        ("train acc 99% val acc 65%", {"overfitting"}),
        ("gradients are all zero", {"vanishing"}),
        ("gradients blow up in my rnn", {"exploding"}),
        ("I increased the batch size but the loss still oscillates", {"oscillating"}),
        ("why does my resnet not learn anything", {"not-learning"}),
        ("loss increases after four epochs", {"oscillating"}),
        ("my RL agent does not learn", {"reinforcement"}),
        ("is my policy broken", {"reinforcement"}),
        ("resnet or vit?", {"architecture"}),
        ("I need to tune LR randomly", {"random-rate"}),
        ("let me try a different optimizer", {"which-optimizer"}),
        ("I use Adam with lr=0.1 and the loss is nan", {"nan"}),
        ("we use gradient clipping but the loss still spikes", {"oscillating"}),
        ("gpu memory keeps growing until OOM", {"slow-training", "memory"}),
        ("my loss just sits at 2.303 forever", {"not-learning"}),
        ("val loss started climbing after epoch 3 while train keeps dropping", {"overfitting"}),
        ("loss doesn't explode but it doesn't go down either", {"not-learning"}),
        ("the loss goes down then up then down", {"oscillating"}),
        ("training was fine until epoch 20 and then everything collapsed", {"oscillating"}),
        ("my training loss is higher than my validation loss", {"is-it-normal"}),
        ("validation accuracy is higher than training accuracy", {"is-it-normal"}),
        ("the first layers barely get any gradient", {"vanishing"}),
        ("the loss was fine for 5k steps and then exploded", {"oscillating"}),
        ("accuracy rose to 70 and has been flat ever since", {"plateau"}),
        ("perplexity improves until 40 and then it just sits there", {"plateau"}),
        ("the loss goes down but gpu memory keeps growing", {"slow-training"}),
        ("after 3 days loss has only gone from 4.1 to 4.0", {"slow"}),
        ("loss decreases by 0.001 per epoch", {"slow"}),
        ("half of my relus are dead", {"vanishing"}),
        ("my mAP levels off", {"plateau"}),
        ("loss still 0.693 after 50 epochs", {"not-learning"}),
        ("can I replace nan gradients by zero", {"ignore-nan"}),
        ("the gradients look healthy", set()),
        ("my loss is not nan", set()),
    ],
)
def test_what_is_said_is_heard_and_nothing_else(text, exactly):
    assert {match.id for match in recognise(text)} == exactly


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Adam with lr=0.1", {"optimizer": "Adam with lr=0.1"}),
        ("lr=0.1 with Adam", {"optimizer": "lr=0.1 with Adam"}),
        ("train acc 99% val acc 65%", {"numbers": "accuracy 99 and 65"}),
        ("100% on train but only 60% on the holdout", {"numbers": "accuracy 100 and 60"}),
        ("batch size 32 and 2000 images", {"batch-size": "32", "data-size": "2000"}),
    ],
)
def test_numbers_are_heard_with_their_setting(text, said):
    assert heard(text) == said


def test_most_is_understood_of_what_people_say_in_public_threads():
    """Of the sources that are set aside (`python -m benchmarks.consult.understanding`)."""
    aside = [phrase for phrase in phrases() if phrase.aside]
    assert len(list(phrases())) >= 300 and len(aside) > 100
    counts = totals(aside)
    assert counts["right"] >= 0.9 * len(aside) and counts["wrong"] <= 0.02 * len(aside)


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
