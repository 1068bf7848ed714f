"""The trials of these tests run in this process, without threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
import torch

from traindx.treatments import _arms

torch.set_num_threads(1)


class OneByOne:
    """An executor without threads: a script that runs in this process waits for all threads at its end."""

    def __init__(self, workers: int) -> None: ...

    def submit(self, call: Callable[..., Any], *args: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(call(*args))
        return done

    def shutdown(self, **_: Any) -> None: ...


@pytest.fixture
def in_process(in_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_arms, "ThreadPoolExecutor", OneByOne)
