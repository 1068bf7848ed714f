"""What a question would settle, against a second, naive computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from traindx.consult import answer, begin, next_question
from traindx.consult.information import View, mutual_information
from traindx.diagnosis.told import told

LEVELS = {"loss-not-finite": 1.0, "rate-above-usual": 0.0, "loss-spike": 0.7}
NEWS = {"half-precision-unscaled": 1.0, "gradients-spiking": 0.1, "loss-spike": 0.0, "grads-kept": 0.65}


def test_changes_are_those_of_the_models_scores():
    model = told()
    view = View(model, LEVELS, 1.0)
    expected = [model.score(name, {**LEVELS, **NEWS}) - model.score(name, LEVELS) for name in model.causes]
    assert view.change(NEWS) == pytest.approx(expected)


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


def test_what_is_worth_asking_depends_on_the_symptom():
    firsts = {
        s: next_question(answer(begin(), "symptoms", [s]))["id"] for s in ("overfitting", "slow-training", "slow")
    }
    assert firsts["overfitting"] == "validation"
    assert len(set(firsts.values())) > 1


def test_what_a_log_answers_is_not_asked(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("".join(f"step {i} loss {2.3 + 0.001 * (i % 3):.4f} lr 0.001\n" for i in range(60)))
    state = begin(str(log))
    asked = []
    while question := next_question(state):
        asked.append(question["id"])
        state = {**state, "skipped": [*state["skipped"], question["id"]], "asked": [*state["asked"], question["id"]]}
    assert "losses" not in asked and "symptoms" not in asked
