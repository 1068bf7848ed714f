"""Healthy programs never raise a sign to the level of a claim; the same programs with a fault do."""

from __future__ import annotations

import pytest
from look_alikes import loops, pretrained, several_networks

from traindx.diagnosis.model import SEEN
from traindx.signs import all_signs, measure_all

PROGRAMS = {**several_networks.PROGRAMS, **pretrained.PROGRAMS, **loops.PROGRAMS}

# By sign: a program, the text that the fault replaces, and what it is replaced by.
FAULTS = [
    ("fresh-layers-frozen", "random_features_frozen", "m.out.parameters()", "m.parameters()"),
    ("params-outside-optimizer", "actor_critic_separate", "torch.optim.Adam(critic.p", "torch.optim.Adam(critic[:2].p"),
    ("params-outside-optimizer", "eval_train_batches", "Adam(net.p", "Adam(net[:-1].p"),
    ("eval-in-train-mode", "eval_train_batches", "net.eval(); t", "t"),
    ("train-in-eval-mode", "eval_train_batches", "    net.train()\n", "    pass\n"),
    ("train-in-eval-mode", "tuned_in_eval_mode", "net.train(was)", "pass"),
    ("params-without-gradient", "eval_without_nograd", "F.cross_entropy(net(x), y)", "CUT"),
    ("grads-kept", "eval_train_batches", "opt.zero_grad()", "pass"),
    ("samples-shared", "cross_validation", "rest.tolist()", "range(0, 800, 2)"),
    ("samples-shared", "scores_of_both_splits", "XV, YV = make(300)", "XV, YV = X[600:], Y[600:]"),
    ("params-without-gradient", "second_head_unused", "extra = 0.0", "extra = F.mse_loss(out['embedding'], x).item()"),
    ("loss-negated", "attack_on_inputs", "net.requires_grad_(False); net.eval()", "net.train()"),
    ("accumulation-unscaled", "gradients_divided_by_hand", "p.grad /= 4", "pass"),
]
CUT = "F.cross_entropy(net[3:](net[:3](x).detach()), y)"


def claims(observed, program) -> list[str]:
    done = observed(program)
    assert done.code == 0, done.err
    found = measure_all(done.run)
    units = all_signs()
    return [f"{s.id}: {s.text}" for s in found.values() if units[s.id].shows == "fault" and s.level >= SEEN]


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_claimed_of_a_healthy_program(observed, name: str) -> None:
    assert not claims(observed, PROGRAMS[name])


@pytest.mark.parametrize(("sign", "name", "old", "new"), FAULTS, ids=[f"{f[0]} in {f[1]}" for f in FAULTS])
def test_the_same_program_with_a_fault_is_caught(observed, sign: str, name: str, old: str, new: str) -> None:
    assert old in PROGRAMS[name]
    caught = claims(observed, PROGRAMS[name].replace(old, CUT if new == "CUT" else new, 1))
    assert any(claim.startswith(f"{sign}:") for claim in caught), caught
