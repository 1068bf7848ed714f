"""Signs of wiring: what was seen in the process, against the healthy ways of doing something similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from observed_patient import SITE, WEIGHTS, Patient, calm, healthy, measured, missing, mlp_modules, module, sick

HIDDEN = WEIGHTS[:4]


def stateful(dropout: float = 0.2, norm: str = "BatchNorm1d", **modes: Any) -> Patient:
    """A model with dropout and a norm layer, 2000 training forwards and 100 evaluation forwards."""
    extra = [module("drop", "Dropout", 20, p=dropout), module("bn", norm, 21)]
    p = healthy().modules(*mlp_modules(), *extra)
    seen = {"train_forwards": 2000, "train_forwards_in_eval_mode": 0, "eval_forwards": 100}
    return p.merge("modes", **{**seen, "eval_forwards_in_train_mode": 0, "mode_layers": ["Dropout", norm], **modes})


def accumulating(often: float, ratio: float | None, divided: float | None = None) -> Patient:
    p = healthy().loss(value_ratio=ratio).merge("graph", divided_by=divided)
    p.facts["backward_sites"][0]["per_step"] = often
    return p


def with_points(p: Patient) -> Patient:
    """Coordinates that ask for a gradient, so that the output can be differentiated by them."""
    points = {
        **p.facts["params"][0],
        "name": "t",
        "module": None,
        "kind": "other",
        "shape": [5000, 1],
        "elements": 5000,
    }
    p.facts["params"].append({**points, "optimizer": None, "moved": False})
    return p


def two_optimizers(p: Patient) -> Patient:
    p.facts["optimizers"].append(dict(p.facts["optimizers"][0]))
    return p


def two_sites(p: Patient) -> Patient:
    p.facts["backward_sites"].append(dict(p.facts["backward_sites"][0]))
    return p


def scheduled(name: str, steps: int, **settings: Any) -> Patient:
    p = healthy()
    p.facts["schedulers"] = [{"class": name, "optimizer": 0, "site": SITE, "steps": steps, "settings": settings}]
    return p


def died(type_: str, message: str) -> Patient:
    p = healthy()
    p.facts["exit"] = "exception"
    p.facts["error"] = {"type": type_, "message": message, "site": SITE, "in_training": True}
    return p


NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have been freed)"
)


def unstepped(backwards: int) -> Patient:
    p = healthy().optimizer(steps=0).params(moved=False)
    p.facts.update(steps=0, backwards=backwards)
    return p


def emptied(steps: int, heard: int) -> Patient:
    p = healthy()
    p.facts["optimizers"][0].update(emptied=steps, steps_heard=heard)
    return p


def frozen(**values: Any) -> Patient:
    values = {"as_initialised": True, **values}
    p = healthy().params(*HIDDEN, requires_grad=False, grad="none", moved=False, optimizer=None, **values)
    return p.table("weight_norm", dict.fromkeys(WEIGHTS, 5.0), 0.0)


def averaged_by_hand() -> Patient:
    """A copy that follows the model: no optimizer's step moves it, but it is another one at every look."""
    return frozen().table("weight_norm", dict.fromkeys(WEIGHTS, 5.0), 0.01)


def teacher() -> Patient:
    """A second model, frozen as a whole, beside one that trains."""
    p = healthy()
    p.each_param(lambda e: e.update(name="student." + e["name"]))
    frozen_ones = [
        dict(e, name=e["name"].replace("student", "teacher"), requires_grad=False) for e in p.facts["params"]
    ]
    p.facts["params"] += [dict(e, moved=False) for e in frozen_ones]
    p.facts["models"] = [{"name": "student", "modules": []}, {"name": "teacher", "modules": []}]
    return p


SICK = {
    "grads-kept": [
        ("every step", lambda: healthy().optimizer(grads_kept=1999)),
        ("by hand", lambda: healthy().without("optimizers").merge("by_hand", steps_heard=40, grads_kept=40)),
    ],
    "backward-without-step": [
        ("never stepped", lambda: unstepped(2000)),
        ("cleared before every step", lambda: emptied(40, 42)),
    ],
    "params-outside-optimizer": [
        ("hidden layers", lambda: healthy().params(*HIDDEN, optimizer=None, moved=False)),
        ("the last layer", lambda: healthy().params(WEIGHTS[-1], optimizer=None, moved=False)),
    ],
    "params-never-move": [("hidden layers", lambda: healthy().params(*HIDDEN, moved=False))],
    "fresh-layers-frozen": [("hidden layers", frozen)],
    "params-without-gradient": [
        ("cut", lambda: healthy().params(*HIDDEN, grad="none")),
        ("computed under no_grad", lambda: healthy().params(*HIDDEN, grad="none", ran=False)),
        ("an embedding", lambda: healthy().params(WEIGHTS[0], grad="none", kind="embedding")),
    ],
    "params-zero-gradient": [("zero", lambda: healthy().params(*HIDDEN, grad="zero"))],
    "crash-no-graph": [("torch says so", lambda: died("RuntimeError", NO_GRAPH))],
    "crash-graph-used-twice": [("torch says so", lambda: died("RuntimeError", TWICE))],
    "loss-negated": [
        ("minus", lambda: healthy().loss(value_ratio=-1.0)),
        ("maximize", lambda: healthy().optimizer(maximize=True)),
        ("log-likelihood by hand", lambda: healthy().without("losses").merge("graph", lowers_likelihood=True)),
    ],
    "accumulation-unscaled": [
        ("four summed", lambda: accumulating(4.0, 1.0)),
        ("a loss of one's own", lambda: accumulating(8.0, None)),
    ],
    "clip-before-unscale": [
        ("seen", lambda: healthy().event("clip-before-unscale", 7, site=SITE, scale=65536.0, threshold=1.0))
    ],
    "scheduler-steps-often": [
        ("StepLR", lambda: scheduled("StepLR", 2000, step_size=30, gamma=0.1)),
        ("ExponentialLR", lambda: scheduled("ExponentialLR", 2000, gamma=0.95)),
        ("Cosine", lambda: scheduled("CosineAnnealingLR", 2000, T_max=20)),
        ("MultiStepLR", lambda: scheduled("MultiStepLR", 2000, milestones={"30": 1, "60": 1})),
    ],
    "train-in-eval-mode": [
        ("after validation", lambda: stateful(train_forwards_in_eval_mode=1900, first_eval_mode_step=100))
    ],
    "eval-in-train-mode": [
        ("always", lambda: stateful(eval_forwards_in_train_mode=100)),
        (
            "scored by hand, in passes",
            lambda: without_validation(stateful(eval_forwards_in_train_mode=100, eval_passes=10)),
        ),
    ],
    "norm-tiny-batch": [("two", lambda: stateful().level("batch_size", 2.0, 0))],
}

test_the_fault_raises_the_sign = sick(SICK, lambda sign: sign.raised and sign.severity != "info")


HEALTHY = {
    "grads-kept": [("one leftover", lambda: healthy().optimizer(grads_kept=1))],
    "backward-without-step": [
        ("updated by hand", lambda: unstepped(2000).params(moved=True)),
        ("ended at once", lambda: unstepped(2)),
        ("cleared in the middle once", lambda: emptied(3, 42)),
    ],
    "params-outside-optimizer": [
        ("pretrained, head only", lambda: healthy().params(*HIDDEN, optimizer=None, moved=False, loaded=True)),
        ("unused modules", lambda: healthy().params(*HIDDEN, optimizer=None, moved=False, ran=False, grad="none")),
        ("tied to one inside", lambda: tied()),
        ("updated by hand", lambda: healthy().params(*HIDDEN, optimizer=None)),
        ("points of a physics loss", lambda: with_points(healthy())),
    ],
    "params-never-move": [
        ("biases before a norm", lambda: healthy().params(*[n.replace("weight", "bias") for n in HIDDEN], moved=False)),
        ("pretrained, head only", lambda: healthy().params(*HIDDEN, optimizer=None, moved=False, loaded=True)),
    ],
    "fresh-layers-frozen": [
        ("loaded", lambda: frozen(loaded=True)),
        ("written after their initialisation", lambda: frozen(as_initialised=False)),
        ("from elsewhere, and left out of the optimizer", lambda: frozen(as_initialised=None)),
        ("trained earlier in the run", lambda: frozen().params(*HIDDEN, grad="yes")),
        ("trained tails", lambda: frozen(init_kurtosis=6.0)),
        ("averaged copy", lambda: frozen().params(*HIDDEN, moved=True)),
        ("averaged copy, moved between steps", averaged_by_hand),
        ("small fixed filter", lambda: frozen(elements=9)),
        ("teacher", teacher),
    ],
    "params-without-gradient": [
        ("never ran", lambda: idle(healthy().params(*HIDDEN, grad="none", ran=False))),
        ("target network", lambda: healthy().params(*HIDDEN, grad="none", optimizer=None)),
    ],
    "params-zero-gradient": [
        ("biases before a norm", lambda: healthy().params(*[n.replace("weight", "bias") for n in HIDDEN], grad="zero")),
        ("embedding", lambda: healthy().params(WEIGHTS[0], grad="zero", kind="embedding")),
    ],
    "crash-no-graph": [("another error", lambda: died("ValueError", "bad value")), ("no error", healthy)],
    "crash-graph-used-twice": [("no graph at all", lambda: died("RuntimeError", NO_GRAPH)), ("no error", healthy)],
    "loss-negated": [
        ("log-likelihood", lambda: healthy().merge("graph", negated=True)),
        ("maximize a negated loss", lambda: healthy().loss(value_ratio=-1.0).optimizer(maximize=True)),
        ("adversarial", lambda: two_sites(two_optimizers(healthy().loss(value_ratio=-1.0)))),
        ("divided", lambda: healthy().loss(value_ratio=0.25)),
    ],
    "accumulation-unscaled": [
        ("divided by k", lambda: accumulating(4.0, 0.25)),
        ("divided in a loss of one's own", lambda: accumulating(4.0, None, 4.0)),
        ("several losses", lambda: two_sites(healthy())),
        ("two optimizers", lambda: two_optimizers(accumulating(2.0, 1.0))),
    ],
    "clip-before-unscale": [("scaler used well", lambda: healthy().merge("precision", scaler=True))],
    "scheduler-steps-often": [
        ("per epoch", healthy),
        ("planned for batches", lambda: scheduled("CosineAnnealingLR", 2000, T_max=2000)),
        ("one-cycle", lambda: scheduled("OneCycleLR", 2000, total_steps=2000)),
        ("step per batch on purpose", lambda: scheduled("StepLR", 2000, step_size=700, gamma=0.1)),
    ],
    "train-in-eval-mode": [
        ("layer norm only", lambda: stateful(0.0, "LayerNorm", train_forwards_in_eval_mode=2000)),
        ("frozen pretrained", lambda: stateful(train_forwards_in_eval_mode=2000).params(*HIDDEN, requires_grad=False)),
    ],
    "eval-in-train-mode": [
        ("layer norm only", lambda: stateful(0.0, "LayerNorm", eval_forwards_in_train_mode=100)),
        ("momentum encoder", lambda: without_validation(stateful(eval_forwards_in_train_mode=100))),
    ],
    "norm-tiny-batch": [
        ("sixteen", lambda: stateful().level("batch_size", 16.0, 0)),
        ("synchronised", lambda: synchronised()),
    ],
}


def idle(p: Patient) -> Patient:
    """Modules that exist and are never executed."""
    return p.modules(*[dict(m, order=None) for m in mlp_modules()])


def tied() -> Patient:
    p = healthy().params(WEIGHTS[1], optimizer=None, moved=False)
    return p.params(WEIGHTS[2], shared=[WEIGHTS[1]])


def without_validation(p: Patient) -> Patient:
    p.facts["loaders"] = p.facts["loaders"][:1]
    return p.without("loss/validation")


def synchronised() -> Patient:
    p = stateful(norm="SyncBatchNorm").level("batch_size", 4.0, 0)
    p.facts["distributed"] = {"rank": 0, "world_size": 8}
    return p


test_the_healthy_look_alike_does_not = calm(HEALTHY, 0.35)


def test_batch_norm_kept_in_eval_mode_sees_no_batch() -> None:
    kept = stateful(train_forwards_in_eval_mode=2000).level("batch_size", 2.0, 0)
    assert "train mode" in missing("norm-tiny-batch", kept).reason


NEEDS = {
    "optimizers": ["grads-kept", "params-outside-optimizer"],
    "backwards": ["backward-without-step"],
    "params": ["params-never-move", "fresh-layers-frozen", "params-without-gradient", "params-zero-gradient"],
    "exit": ["crash-no-graph", "crash-graph-used-twice"],
    "losses": ["loss-negated"],
    "backward_sites": ["accumulation-unscaled"],
    "precision": ["clip-before-unscale"],
    "schedulers": ["scheduler-steps-often"],
    "loaders": ["scheduler-steps-often"],
    "modes": ["train-in-eval-mode", "eval-in-train-mode"],
    "batch_size": ["norm-tiny-batch"],
    "models": ["norm-tiny-batch"],
}


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


def test_shares_are_by_tensors_or_elements_whichever_is_larger() -> None:
    p = healthy().params(*HIDDEN, grad="none")
    weights = [e for e in p.facts["params"] if e["kind"] == "weight"]
    cut = [e for e in weights if e["grad"] == "none"]
    by_elements = sum(e["elements"] for e in cut) / sum(e["elements"] for e in weights)
    assert measured("params-without-gradient", p).value == pytest.approx(max(4 / 7, by_elements))


def test_sentences_name_line_and_layer() -> None:
    p = healthy().optimizer(grads_kept=1999).event("grads-kept", 1, optimizer=0, site=SITE)
    assert "train.py:12" in measured("grads-kept", p).text
    assert WEIGHTS[0] in measured("params-without-gradient", healthy().params(WEIGHTS[0], grad="none")).text


@pytest.mark.parametrize(("passes", "fixed"), [((4,) * 30, True), ((4, 4, 4, 4, 7) * 6, True), (range(3, 33), False)])
def test_accumulation_has_a_fixed_number_of_passes(passes: Sequence[int], fixed: bool) -> None:
    """A last, longer group is accumulation too; losses of episodes of any length are meant to add up."""
    steps = [step for step, count in enumerate(passes) for _ in range(count)]
    patient = accumulating(4.0, 1.0).curve("loss/train", [1.0] * len(steps), steps)
    if fixed:
        assert measured("accumulation-unscaled", patient).raised
    else:
        assert "differs between updates" in missing("accumulation-unscaled", patient).reason


def test_accumulation_states_the_excess() -> None:
    assert measured("accumulation-unscaled", accumulating(4.0, 0.5)).value == pytest.approx(2.0)


def test_scheduler_plan_is_where_the_rate_reaches_a_thousandth() -> None:
    """gamma 0.1 every 30 steps takes 90 steps to 1e-3."""
    sign = measured("scheduler-steps-often", scheduled("StepLR", 1800, step_size=30, gamma=0.1))
    rate, steps = 1.0, 0
    while rate > 1e-3 * 1.0001:
        steps += 30
        rate *= 0.1
    assert sign.value == pytest.approx(1800 / steps)


def test_batch_norm_that_never_runs_takes_no_statistics() -> None:
    p = stateful().level("batch_size", 2.0, 0)
    for entry in p.facts["models"][0]["modules"]:
        entry["order"] = None if entry["name"] == "bn" else entry["order"]
    assert missing("norm-tiny-batch", p).reason
