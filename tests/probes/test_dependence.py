from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from traindx.probes.dependence import dependence


class Scrambling(nn.Module):
    """A view where a transpose was needed."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 4)

    def forward(self, x: Any) -> Any:
        out = self.inner(x)
        return out.view(out.shape[1], out.shape[0]).t().contiguous()


class Tokens(nn.Module):
    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 11)
        self.masked = masked

    def forward(self, ids: Any) -> Any:
        x = self.embed(ids)
        mask = torch.triu(torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool), 1) if self.masked else None
        x, _ = self.attend(x, x, x, attn_mask=mask, need_weights=False)
        return self.head(x)


def test_a_plain_model_keeps_samples_apart_and_depends_on_its_input() -> None:
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))
    found = dependence(model, (torch.randn(7, 6),))
    assert found.mixes_samples is False and found.depends_on_input is True


def test_a_softmax_output_has_a_gradient_although_its_sum_is_constant() -> None:
    found = dependence(nn.Sequential(nn.Linear(6, 3), nn.Softmax(1)), (torch.randn(5, 6),))
    assert found.mixes_samples is False


@pytest.mark.parametrize(
    "model", [Scrambling(), nn.Sequential(nn.Linear(6, 3), nn.Softmax(0))], ids=["view", "softmax over the batch"]
)
def test_mixing_is_found_by_gradients(model: nn.Module) -> None:
    found = dependence(model, (torch.randn(5, 6),))
    assert found.mixes_samples is True and found.mixed_pair is not None
    i, j = found.mixed_pair
    assert i != j


def test_a_recurrent_layer_fed_batch_first_but_built_time_first_mixes_samples() -> None:
    class Net(nn.Module):
        def __init__(self, batch_first: bool) -> None:
            super().__init__()
            self.rnn = nn.GRU(3, 4, batch_first=batch_first)

        def forward(self, x: Any) -> Any:
            return self.rnn(x)[0][:, -1]

    x = torch.randn(6, 5, 3)
    assert dependence(Net(batch_first=False), (x,)).mixes_samples is True
    assert dependence(Net(batch_first=True), (x,)).mixes_samples is False


def test_tokens_are_exchanged_because_they_have_no_gradient() -> None:
    ids = torch.randint(0, 11, (4, 9), generator=torch.Generator().manual_seed(0))
    assert dependence(Tokens(masked=True), (ids,)).mixes_samples is False


def test_only_an_unmasked_model_sees_the_future() -> None:
    ids = torch.randint(0, 11, (4, 9), generator=torch.Generator().manual_seed(0))
    assert dependence(Tokens(masked=True), (ids,), next_token=True).sees_future is False
    found = dependence(Tokens(masked=False), (ids,), next_token=True)
    assert found.sees_future is True and found.future_position == 0


def test_a_model_that_ignores_its_input_is_found() -> None:
    class Deaf(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(torch.ones(3))

        def forward(self, x: Any) -> Any:
            return self.w.expand(len(x), 3) + 0 * x.sum(1, keepdim=True)

    assert dependence(Deaf(), (torch.randn(4, 6),)).depends_on_input is False


@pytest.mark.parametrize(
    ("args", "axis", "word"),
    [
        ((torch.randn(1, 6),), 0, "single sample"),
        ((torch.randn(5, 6),), None, "unknown"),
        ((torch.randn(5, 6), torch.zeros(2, 9, dtype=torch.long)), 0, "graph"),
    ],
)
def test_what_cannot_be_asked_says_why(args: Any, axis: int | None, word: str) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(6, 2)

        def forward(self, x: Any, edges: Any = None) -> Any:
            return self.inner(x)

    found = dependence(Net(), args, batch_axis=axis)
    assert found.mixes_samples is None and found.why_not is not None and word in found.why_not["samples"]


def test_outputs_that_compare_samples_are_not_called_mixed() -> None:
    class Similarity(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(6, 4)

        def forward(self, x: Any) -> Any:
            z = self.inner(x)
            return z @ z.t()

    assert dependence(Similarity(), (torch.randn(5, 6),)).mixes_samples is None
