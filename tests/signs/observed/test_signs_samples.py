"""Signs of how samples are drawn, split and laid out."""

from __future__ import annotations

from typing import Any

from observed_patient import (
    LOOKS,
    SITE,
    Patient,
    calm,
    healthy,
    jumping,
    leaking,
    mlp_modules,
    module,
    overlap,
    regression,
    sick,
    unshuffled,
)


def evaluated(mean: float, std: float, features: int = 20, **more: Any) -> Patient:
    given = {"mean": mean, "std": std, "feature_mean": [mean] * features, "feature_std": [std] * features}
    return healthy().merge("data/eval", **{**given, **more})


def bag() -> Patient:
    p = healthy().loss(target={"shape": []}).level("batch_size", 19.0, 0)
    return p.merge("label_order", mean_majority=1.0, expected_majority=0.5, runs=3)


def view(old: list[int], new: list[int]) -> Patient:
    return healthy().merge("graph", view_permutes=[{"from": old, "to": new}])


def language(weight: float | None, **settings: Any) -> Patient:
    p = healthy().merge("shift_relation", targets_are_next_inputs=True)
    if weight is not None:
        p.facts["attention"] = [{"module": "block.0.attn", "seen_future_weight": weight, "length": 32}]
    return p.modules(*mlp_modules(), module("rnn", "GRU", 20, **settings)) if settings else p


def on_training_data() -> Patient:
    p = overlap(1000)
    p.series["loss/validation/training_data"] = p.series.pop("loss/validation")
    return p


def partly(shared: int) -> Patient:
    return healthy().merge("overlap", shared=shared, train_share_hashed=0.1)


def aftermath(p: Patient) -> Patient:
    """Ordinary batches on weights that the outlier has thrown off."""
    for after in (1, 2, 3):
        p.event("loss-jump", LOOKS[30] + after, **{"from": 9.0, "to": 99.0, "input_max": 4.0})
    return p


def at_once(input_max: float = 4.0) -> Patient:
    """The loss jumps at the second step already, when the observer knows no level of it yet."""
    p = healthy().curve("loss/train", [2.3, 2.3e4, 40.0, *[2.3] * 20], range(23))
    steps, values = p.series["input_max"]
    return p.curve("input_max", [values[0], input_max, *values[1:-1]], [0, 1, *list(steps)[1:-1]])


def grouped(between: float, within: float) -> Patient:
    return regression().merge("targets/train", groups={"batches": 40, "rows": 64, "between": between, "within": within})


def tokens(**ids: float) -> Patient:
    return healthy().merge("data/train", dtype="int64").merge("data/eval", dtype="int64", ids=ids)


def rim() -> Patient:
    """Pixels that hardly vary, and in evaluation not at all."""
    spreads = [0.3] * 12 + [0.01] * 8
    p = evaluated(0.0, 0.3, feature_std=[0.3] * 12 + [0.0] * 8)
    return p.merge("data/train", feature_std=spreads)


def sequences(given: list[int], target: list[int] | None = None, **settings: Any) -> Patient:
    p = healthy().modules(*mlp_modules(), {**module("rnn", "GRU", 20, **settings), "given": given})
    p.facts["loaders"] = []
    return p.loss(target={"shape": target or [64]})


def reshaped(old: list[int], new: list[int], axis: int) -> Patient:
    p = healthy()
    p.facts["ops"] = [{"op": "view", "shapes_in": [old], "shape_out": new, "site": SITE, "batch_axis": axis}]
    return p


def one_by_one() -> Patient:
    p = healthy().without("batch_size").loss(target={"shape": [1], "dtype": "int64"})
    return p.merge("label_order", mean_majority=1.0, expected_majority=0.1, runs=4)


def of_two() -> Patient:
    """Two samples of ten classes: one class has half of the batch at least, whatever its share in the data."""
    p = healthy().level("batch_size", 2.0, 0)
    return p.merge("label_order", mean_majority=0.55, expected_majority=0.1)


def full_batch() -> Patient:
    p = unshuffled()
    p.facts["loaders"][0]["batches"] = 1
    return p


SICK = {
    "batch-outlier": [
        ("corrupt sample", lambda: jumping(30, input_max=400.0)),
        ("with jumps in its wake", lambda: aftermath(jumping(30, input_max=400.0))),
        ("in the first steps", lambda: at_once(input_max=400.0)),
    ],
    "batches-single-class": [
        ("sorted", lambda: healthy().merge("label_order", mean_majority=0.97)),
        ("sorted, one by one", lambda: healthy().merge("label_order", mean_majority=1, expected_majority=1, runs=80)),
    ],
    "batches-alike": [("sorted by their target", lambda: grouped(between=0.98, within=0.02))],
    "sequential-sampler": [
        ("sorted labels", lambda: unshuffled(mean_majority=0.97)),
        ("labels not known", lambda: unshuffled()),
    ],
    "train-eval-inputs-differ": [
        ("not normalised", lambda: evaluated(0.5, 0.25)),
        ("not divided", lambda: evaluated(120.0, 70.0)),
        ("one feature far off", lambda: evaluated(0, 1.0, feature_mean=[0.0] * 19 + [12.0])),
        ("a third of the features", lambda: evaluated(0, 1.0, feature_std=[1.0] * 13 + [2.5] * 7)),
        ("another vocabulary", lambda: tokens(distance=0.57, by_chance=0.1, unseen=0.0)),
    ],
    "axes-scrambled": [
        ("batch and time", lambda: view([64, 7, 10], [7, 64, 10])),
        ("targets by columns", lambda: healthy().merge("shift_relation", targets_in_other_order=True)),
        ("batch first for a layer that wants time first", lambda: sequences([64, 28, 5], batch_first=False)),
        ("a reshape that takes time for the batch", lambda: reshaped([28, 4, 64, 8], [64, 28, 32], 2)),
    ],
    "future-visible": [
        ("no mask", lambda: language(0.4)),
        ("both ways", lambda: language(None, bidirectional=True)),
    ],
    "feature-determines-target": [
        ("a copy", lambda: leaking(-0.9999)),
        ("a copy at the edge", lambda: leaking(0.9999).merge("feature_leak", inwards=[0.9999, 0.62, 0.4])),
    ],
    "samples-shared": [
        ("half", lambda: overlap(500)),
        ("partly hashed", lambda: partly(60)),
        ("copies on both sides", lambda: overlap(800, hashed=3200, distinct=600, continuous=True)),
    ],
}

test_the_fault_raises_the_sign = sick(SICK, lambda sign: sign.raised or sign.level >= 0.5)


HEALTHY = {
    "batch-outlier": [
        ("ordinary batch", lambda: jumping(30)),
        ("no jump", healthy),
        ("ordinary batch in the first steps", at_once),
    ],
    "batches-alike": [
        ("shuffled", lambda: grouped(between=1 / 64, within=63 / 64)),
        ("a little drift", lambda: grouped(between=0.1, within=0.9)),
    ],
    "batches-single-class": [
        ("shuffled", healthy),
        ("batches of two", lambda: of_two()),
        ("one by one, without a model", lambda: one_by_one()),
        ("one label for a bag", lambda: bag()),
        ("shuffled, one by one", lambda: healthy().merge("label_order", mean_majority=1, expected_majority=1, runs=4)),
    ],
    "sequential-sampler": [
        ("labels mixed", lambda: unshuffled(mean_majority=0.19)),
        ("full batch", lambda: full_batch()),
        ("evaluation loader only", healthy),
    ],
    "train-eval-inputs-differ": [
        ("augmented", lambda: evaluated(0.2, 0.8)),
        ("small sample", lambda: evaluated(0.5, 1.0, samples=16)),
        ("the rim of images", lambda: rim()),
        ("texts of one kind", lambda: tokens(distance=0.2, by_chance=0.15, unseen=0.01)),
        ("new users", lambda: tokens(distance=1.0, by_chance=0.1, unseen=1.0)),
    ],
    "axes-scrambled": [
        ("flattened", lambda: view([64, 4, 5], [64, 20])),
        ("singleton moved", lambda: view([64, 1, 28], [64, 28, 1])),
        ("time first, as it should be", lambda: sequences([28, 64, 5], batch_first=False)),
        ("batch first, as it should be", lambda: sequences([64, 28, 5], batch_first=True)),
        ("one step a target", lambda: sequences([64, 28, 5], [64, 28], batch_first=False)),
    ],
    "future-visible": [
        ("masked", lambda: language(0.0)),
        ("encoder", lambda: language(0.5).merge("shift_relation", targets_are_next_inputs=False)),
        ("one way", lambda: language(None, bidirectional=False)),
    ],
    "feature-determines-target": [("a strong feature", lambda: leaking(0.93))],
    "samples-shared": [
        ("discrete data repeat", lambda: overlap(800, hashed=3200, distinct=600)),
        ("training data evaluated", on_training_data),
        ("a few matches in a part", lambda: partly(6)),
    ],
}

test_the_healthy_look_alike_does_not = calm(HEALTHY)
