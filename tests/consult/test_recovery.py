"""NaN, spikes and divergence: where to go back to, at which learning rate, and what did it."""

from __future__ import annotations

import pytest

from traindx.consult import answer, begin, conclude


def concluded(**answers):
    state = answer(begin(), "symptoms", [answers.pop("symptom")])
    for name, said in answers.items():
        state = answer(state, name.replace("_", "-"), said)
    return conclude(state)


@pytest.mark.parametrize("symptom", ["nan", "oscillating"])
def test_three_sentences_checkpoint_rate_and_batch_or_step(symptom):
    sentences = concluded(symptom=symptom, course="fell-then-rose")["recovery"]
    assert len(sentences) == 3
    assert "checkpoint" in sentences[0] and "Resume" in sentences[1] and "run --deep" in sentences[2]


def test_the_checkpoint_lies_before_the_step_of_the_first_nan():
    assert "before step 1080" in concluded(symptom="nan", first_nan="1200, 2.3")["recovery"][0]


def test_a_nan_in_the_first_steps_leaves_nothing_to_save():
    assert "start again" in concluded(symptom="nan", first_nan="3")["recovery"][0]


def test_a_fault_of_the_data_keeps_the_learning_rate():
    found = concluded(symptom="nan", nonfinite_data="found", first_nan="900", optimizer="Adam lr=1e-3")
    assert "same learning rate" in found["recovery"][1]


def test_a_plateau_needs_no_way_back():
    assert concluded(symptom="plateau", course="fell-then-flat")["recovery"] == []


def test_when_to_stop_names_what_is_left_and_what_then():
    where, limit, then = concluded(symptom="plateau", course="never-fell")["when_to_stop"]
    assert "settled" in where and "traindx check" in limit and "baseline" in then
