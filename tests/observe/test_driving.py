"""Drivers change what they say they change, at the moments that treatments need, and compose."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from traindx.observe.hook_points.hooks import HookPoints
from traindx.observe.hook_points.moments import Driver, Several


@contextmanager
def driven(driver: Driver) -> Iterator[None]:
    hooks = HookPoints(lambda observer, reason: pytest.fail(f"{observer}: {reason}"))
    hooks.driver = driver
    hooks.install()
    try:
        yield
    finally:
        hooks.remove()


def gradient(driver: Driver) -> Any:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    with driven(driver):
        model(torch.ones(4, 3)).sum().backward()
    return model.weight.grad


def test_settings_of_an_optimizer_change_as_it_is_made() -> None:
    class Eps(Driver):
        def optimizer_made(self, optimizer: Any) -> None:
            for group in optimizer.param_groups:
                group["eps"] = 0.5

    with driven(Eps()):
        assert torch.optim.Adam(nn.Linear(1, 1).parameters()).param_groups[0]["eps"] == 0.5
    assert torch.optim.Adam(nn.Linear(1, 1).parameters()).param_groups[0]["eps"] == 1e-8


@pytest.mark.parametrize("make", [
    lambda o: torch.optim.lr_scheduler.StepLR(o, 1, gamma=0.1),
    lambda o: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 5),
    lambda o: torch.optim.lr_scheduler.SequentialLR(
        o, [torch.optim.lr_scheduler.StepLR(o, 1), torch.optim.lr_scheduler.StepLR(o, 2)], [3]),
])  # fmt: skip
def test_a_suspended_scheduler_leaves_the_rate_and_can_still_be_saved(make: Any) -> None:
    asked = []

    class Suspended(Driver):
        def scheduler_step(self, scheduler: Any) -> bool:
            asked.append(scheduler)
            return False

    with driven(Suspended()):
        for _ in range(2):  # the second one is made while the class is driven already
            optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1.0)
            scheduler = make(optimizer)
            before = optimizer.param_groups[0]["lr"]
            for _ in range(4):
                optimizer.step()
                scheduler.step()
            assert optimizer.param_groups[0]["lr"] == before
            # A chain of schedulers is asked for its parts.
            assert asked == [scheduler] * 4 or scheduler not in asked
            assert len(asked) >= 4
            assert not any(callable(value) for value in scheduler.state_dict().values())
            asked.clear()


def test_loaders_are_made_with_the_drivers_arguments() -> None:
    class Larger(Driver):
        def loader_settings(self, number: int, settings: dict[str, Any]) -> dict[str, Any]:
            return {**settings, "batch_size": 4} if number == 1 else settings

    data = TensorDataset(torch.arange(8))
    with driven(Larger()):
        first, second = DataLoader(data, 2, True), DataLoader(data, batch_size=2)
    assert (first.batch_size, second.batch_size) == (2, 4)
    assert len(next(iter(second))[0]) == 4


def test_a_model_is_ready_once_and_its_parts_can_be_exchanged() -> None:
    seen = []

    class Swapped(Driver):
        def model_ready(self, root: Any) -> None:
            seen.append(root)
            root[0] = nn.Identity()

    model = nn.Sequential(nn.ReLU())
    with driven(Swapped()):
        assert float(model(torch.tensor(-1.0))) == -1.0
        model(torch.tensor(1.0))
    assert seen == [model]


def test_what_a_model_returns_can_be_exchanged() -> None:
    class Doubled(Driver):
        def forward_output(self, root: Any, output: Any) -> Any:
            return output * 2

    with driven(Several([Doubled(), Doubled()])):
        assert float(nn.Identity()(torch.tensor(1.0))) == 4.0


def test_the_loss_that_is_differentiated_can_be_scaled_and_skipped() -> None:
    class Scaled(Driver):
        def differentiated(self, loss: Any) -> Any:
            return loss * 3

    class Skipped(Driver):
        def differentiated(self, loss: Any) -> Any:
            return None

    plain = gradient(Driver())
    assert torch.equal(gradient(Scaled()), 3 * plain)
    assert torch.equal(gradient(Several([Scaled(), Scaled()])), 9 * plain)
    assert gradient(Several([Scaled(), Skipped()])) is None


def test_gradients_by_autograd_grad_are_scaled_but_never_missing() -> None:
    class Skipped(Driver):
        def differentiated(self, loss: Any) -> Any:
            return None

    weight = nn.Parameter(torch.ones(1))
    with driven(Skipped()):
        (found,) = torch.autograd.grad((2 * weight).sum(), [weight])
    assert float(found) == 2.0


@pytest.mark.parametrize("call", [
    lambda p: nn.utils.clip_grad_norm_(p, 1e-3),
    lambda p: nn.utils.clip_grad_norm_(p, max_norm=1e-3),
    lambda p: nn.utils.clip_grad_value_(p, clip_value=1e-3),
])  # fmt: skip
def test_a_clip_can_be_lifted(call: Any) -> None:
    class Lifted(Driver):
        def clip_limit(self, kind: str, limit: Any) -> Any:
            assert limit == 1e-3
            return math.inf

    weight = nn.Parameter(torch.ones(2))
    weight.grad = torch.full((2,), 5.0)
    with driven(Lifted()):
        call([weight])
    assert weight.grad.tolist() == [5.0, 5.0]


def test_autocast_can_be_switched_off() -> None:
    class Full(Driver):
        def autocast(self, settings: dict[str, Any]) -> dict[str, Any]:
            return {**settings, "enabled": False}

    with driven(Full()), torch.autocast("cpu", dtype=torch.bfloat16):
        assert not torch.is_autocast_enabled("cpu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.is_autocast_enabled("cpu")


def test_without_a_driver_nothing_of_autocast_or_schedulers_is_replaced() -> None:
    before = torch.autocast.__init__, torch.optim.lr_scheduler.LRScheduler.step
    hooks = HookPoints(lambda *_: None)
    hooks.install()
    try:
        torch.optim.lr_scheduler.StepLR(torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1.0), 1)
        assert (torch.autocast.__init__, torch.optim.lr_scheduler.LRScheduler.step) == before
    finally:
        hooks.remove()
