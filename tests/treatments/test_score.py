"""The loss-free score against naive computations, and against what it must not depend on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from traindx.treatments.score import score


def stream(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_class_scores_count_the_classes_below_the_true_one() -> None:
    scores = torch.randn(40, 5, generator=stream())
    labels = torch.randint(0, 5, (40,), generator=stream(1))
    by_class: dict[int, list[float]] = {}
    for row, label in zip(scores.tolist(), labels.tolist(), strict=True):
        share = sum(other < row[label] for k, other in enumerate(row) if k != label) / 4
        by_class.setdefault(label, []).append(share)
    naive = np.mean([np.mean(shares) for shares in by_class.values()])
    found = score("cross_entropy", scores, labels)
    assert float(found) == pytest.approx(naive, abs=1e-6)
    assert float(score("cross_entropy", scores.softmax(1), labels)) == pytest.approx(float(found), abs=1e-6)
    assert float(score("cross_entropy", scores * 7 - 3, labels)) == pytest.approx(float(found), abs=1e-6)


def test_ignored_targets_and_positions_of_sequences() -> None:
    scores = torch.randn(4, 3, 6, generator=stream())  # batch, classes, positions
    labels = torch.randint(0, 3, (4, 6), generator=stream(1))
    labels[0, :] = -100
    flat = score("cross_entropy", scores[1:].movedim(1, 2).reshape(-1, 3), labels[1:].reshape(-1))
    assert float(score("cross_entropy", scores, labels, ignored=-100)) == pytest.approx(float(flat), abs=1e-6)


def test_one_score_a_sample_counts_ordered_pairs() -> None:
    scores = torch.randint(0, 6, (30,), generator=stream()).float()  # with ties
    targets = (torch.rand(30, generator=stream(1)) < 0.3).float()
    positive = [s for s, t in zip(scores.tolist(), targets.tolist(), strict=True) if t]
    negative = [s for s, t in zip(scores.tolist(), targets.tolist(), strict=True) if not t]
    pairs = [1.0 if p > n else 0.5 if p == n else 0.0 for p, n in itertools.product(positive, negative)]
    found = score("binary_cross_entropy_with_logits", scores[:, None], targets[:, None])
    assert float(found) == pytest.approx(np.mean(pairs), abs=1e-6)


def test_values_are_correlated_column_by_column() -> None:
    given, target = torch.randn(50, 3, generator=stream()), torch.randn(50, 3, generator=stream(1))
    target[:, 0] = 1000 * given[:, 0] + 5
    naive = np.mean([np.corrcoef(given[:, k], target[:, k])[0, 1] for k in range(3)])
    found = score("mse_loss", given, target)
    assert float(found) == pytest.approx(naive, abs=1e-4)
    assert float(score("mse_loss", given, target * 9 + 2)) == pytest.approx(float(found), abs=1e-4)


def test_an_answer_that_never_changes_scores_nothing() -> None:
    target = torch.randn(20, generator=stream())
    assert float(score("mse_loss", torch.ones(20), target)) == 0.0
    assert float(score("cross_entropy", torch.zeros(8, 4), torch.arange(8) % 4)) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "given", "target"),
    [
        ("mse_loss", torch.randn(5, 1), torch.randn(7)),
        ("mse_loss", torch.randn(20), torch.ones(20)),
        ("binary_cross_entropy", torch.rand(5), torch.ones(5)),
        ("cross_entropy", torch.randn(3, 4), torch.full((3,), -100)),
        ("cross_entropy", torch.full((3, 4), float("nan")), torch.arange(3)),
        ("binary_cross_entropy_with_logits", torch.full((4,), float("nan")), torch.tensor([0.0, 1.0, 1.0, 0.0])),
    ],
)
def test_where_there_is_nothing_to_compare_there_is_no_score(name: str, given: torch.Tensor, target: torch.Tensor):
    assert score(name, given, target) is None
