"""What a question would settle, against a second, naive computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from traindx.conditions import established
from traindx.consult import begin, next_question
from traindx.consult.information import View, causes_behind, mutual_information, told_run
from traindx.consult.matching import all_symptoms
from traindx.signs import measure_all


def found(symptom):
    run = told_run([all_symptoms()[symptom].tell()])
    signs = measure_all(run)
    return established(run, signs)[0], {name: sign.level for name, sign in signs.items()}


def test_what_an_answer_says_of_the_causes_is_what_the_rates_behind_the_condition_say():
    condition, levels = found("nan")
    view = View(condition, levels)
    after = view.chances_after({"half-precision-unscaled": 0.65})
    run = told_run([all_symptoms()["nan"].tell()])
    expected = causes_behind(condition, run, {**levels, "half-precision-unscaled": 0.65})
    known = [chance for name, chance in expected.items() if name != "unknown"]
    assert after == pytest.approx(np.array(known) / sum(known))
    assert after.sum() == pytest.approx(1.0)


def test_information_is_the_expected_fall_of_entropy():
    random = np.random.default_rng(1)
    chances = random.dirichlet(np.ones(6))
    shares = random.dirichlet(np.ones(3))
    changes = random.normal(size=(3, 6))
    given = [[shares[a] * math.exp(changes[a][c]) for a in range(3)] for c in range(6)]
    given = [[value / sum(row) for value in row] for row in given]
    after = 0.0
    for a in range(3):
        joint = [chances[c] * given[c][a] for c in range(6)]
        after -= sum(value * math.log2(value / sum(joint)) for value in joint)
    before = -sum(p * math.log2(p) for p in chances)
    assert mutual_information(chances, shares, changes) == pytest.approx(before - after)


def test_an_answer_that_cannot_matter_is_worth_nothing():
    assert mutual_information(np.array([0.3, 0.7]), np.array([0.5, 0.5]), np.zeros((2, 2))) == 0.0


def test_what_a_log_answers_is_not_asked(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("".join(f"step {i} loss {2.3 + 0.001 * (i % 3):.4f} lr 0.001\n" for i in range(60)))
    state = begin(str(log))
    asked = []
    while question := next_question(state):
        asked.append(question["id"])
        state = {**state, "skipped": [*state["skipped"], question["id"]], "asked": [*state["asked"], question["id"]]}
    assert "losses" not in asked and "symptoms" not in asked
