"""Numbers are read from tensors without operators: of every kind, from every place."""

from __future__ import annotations

import math

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from traindx.observe.metric_queue import cpu_value

KINDS = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool)


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_the_first_element_is_read(dtype):
    for number in (0.0, 1.0, -2.5, 1e-3, 3e4):
        tensor = torch.tensor([number, 7.0]).to(dtype)
        assert cpu_value(tensor) == float(tensor[0])


@pytest.mark.parametrize("dtype", (torch.float32, torch.float64, torch.float16, torch.bfloat16), ids=str)
def test_what_is_not_finite_is_read_as_it_is(dtype):
    assert math.isnan(cpu_value(torch.tensor(math.nan, dtype=dtype)))
    assert cpu_value(torch.tensor(-math.inf, dtype=dtype)) == -math.inf


def test_a_view_that_begins_later_is_read_where_it_begins():
    assert cpu_value(torch.arange(12.0).reshape(3, 4)[1:, 2]) == 6.0


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_a_view_into_a_packed_buffer_need_not_be_aligned(dtype):
    number = torch.tensor([5.0]).to(dtype)
    packed = bytearray(b"\xff" + number.view(torch.uint8).numpy().tobytes())
    assert cpu_value(torch.frombuffer(packed, dtype=dtype, offset=1)) == float(number)


def test_where_nothing_can_be_read_there_is_no_value():
    assert cpu_value(torch.empty(0)) is None
    assert cpu_value(torch.ones(2, device="meta")) is None
    assert cpu_value(torch.ones(2).to_sparse()) is None
    assert cpu_value(torch.ones(2, dtype=torch.complex64)) is None
    assert cpu_value(1.0) is None


def test_no_operator_is_called():
    class Count(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.calls += 1
            return func(*args, **(kwargs or {}))

    tensor = torch.ones(3)
    with Count() as count:
        assert cpu_value(tensor) == 1.0
    assert count.calls == 0
