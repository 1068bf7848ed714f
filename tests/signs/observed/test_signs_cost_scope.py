"""Signs of cost, and of cases that are not of training dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from observed_patient import LOOKS, SITE, Patient, calm, healthy, measured, missing, sick

N = len(LOOKS)


def times(**seconds: float) -> Patient:
    p = healthy()
    for name, value in seconds.items():
        p.level(f"time/{name}", value, 0.05)
    return p


def noisy(values: Any, seed: int = 0) -> Any:
    return np.asarray(values) * np.exp(np.random.default_rng(seed).normal(0, 0.02, N))


def memory(start: float, end: float, curve: Any = None) -> Patient:
    shape = np.linspace(0, 1, N) if curve is None else curve
    return healthy().curve("memory", noisy((start + (end - start) * shape) * 2**20))


def died(type_: str, message: str, in_training: bool = True) -> Patient:
    p = healthy()
    p.facts["exit"] = "exception"
    p.facts["error"] = {"type": type_, "message": message, "site": SITE, "in_training": in_training}
    return p


def counts(**facts: Any) -> Patient:
    p = healthy()
    p.facts.update(facts)
    return p


INFRASTRUCTURE = {
    "OutOfMemoryError": "CUDA out of memory. Tried to allocate 2.00 GiB",
    "RuntimeError": "mat1 and mat2 shapes cannot be multiplied (64x20 and 30x10)",
    "RuntimeError ": "DataLoader worker (pid 77) is killed by signal: Killed.",
    "RuntimeError  ": "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    "RuntimeError   ": "The size of tensor a (10) must match the size of tensor b (9) at non-singleton dimension 1",
    "IndexError": "Target 10 is out of bounds.",
    "FileNotFoundError": "[Errno 2] No such file or directory: 'data.csv'",
    "ValueError": "Expected input batch_size (64) to match target batch_size (32).",
    "MemoryError": "",
    "RuntimeError    ": 'Error(s) in loading state_dict for Net: Missing key(s) in state_dict: "a"',
}

SICK = {
    "data-wait": [("slow disk", lambda: times(data=0.09, total=0.1))],
    "memory-growth": [("doubling", lambda: memory(500, 1000))],
    "graph-growth": [
        ("never cut", lambda: healthy().curve("graph_nodes", np.linspace(40, 4000, N))),
        ("cut once an epoch", lambda: healthy().curve("graph_nodes", 40 + 10 * (np.arange(N) % (N // 3)))),
    ],
    "backward-slowing": [("piles up", lambda: healthy().curve("time/backward", noisy(np.linspace(0.004, 0.04, N))))],
    "crash-infrastructure": [
        (message or type_, lambda t=type_, m=message: died(t.strip(), m)) for type_, message in INFRASTRUCTURE.items()
    ],
    "reinforcement-learning": [("gym", lambda: counts(rl=["gymnasium"]))],
    "never-trained": [("no backward", lambda: counts(backwards=0, steps=0))],
}

test_the_fault_raises_the_sign = sick(SICK)


HEALTHY = {
    "data-wait": [("a toy", lambda: times(data=0.001, total=0.0015)), ("hidden", lambda: times(data=0.02, total=0.2))],
    "memory-growth": [
        ("a cache that fills", lambda: memory(500, 900, 1 - np.exp(-np.linspace(0, 12, N)))),
        ("a few megabytes", lambda: memory(100, 120)),
        ("modules loaded before the first step", lambda: before_training()),
        ("steady", healthy),
    ],
    "graph-growth": [
        (
            "sequences of any length",
            lambda: healthy().curve("graph_nodes", np.random.default_rng(1).uniform(40, 400, N)),
        )
    ],
    "backward-slowing": [("busy at the end", lambda: busy_at_the_end())],
    "crash-infrastructure": [
        ("stopped by hand", lambda: died("KeyboardInterrupt", "")),
        ("a user's check", lambda: died("AssertionError", "loss is nan")),
        ("no graph", lambda: died("RuntimeError", "element 0 of tensors does not require grad")),
        ("plot after training", lambda: died("FileNotFoundError", "No such file or directory: 'plots/x.png'", False)),
        ("none", healthy),
    ],
    "reinforcement-learning": [("none", healthy)],
    "never-trained": [("trained", healthy)],
}


def before_training() -> Patient:
    """Memory doubles while modules are loaded and stays; the recorder flushed mostly before training began."""
    steps = [0] * 30 + list(range(1, 11))
    return healthy().curve("memory", [*np.linspace(200, 400, 30) * 2**20, *[400 * 2**20] * 10], steps)


def busy_at_the_end() -> Patient:
    values = np.full(N, 0.004)
    values[-4:] *= 4
    return healthy().curve("time/backward", noisy(values))


test_the_healthy_look_alike_does_not = calm(HEALTHY, 0.35)


NEEDS = {
    "time/data": ["data-wait"],
    "memory": ["memory-growth"],
    "graph_nodes": ["graph-growth"],
    "time/backward": ["backward-slowing"],
    "exit": ["crash-infrastructure"],
    "backwards": ["never-trained"],
}


@pytest.mark.parametrize(("need", "sign_id"), [(need, sign_id) for need, ids in NEEDS.items() for sign_id in ids])
def test_missing_without_its_data(need: str, sign_id: str) -> None:
    assert missing(sign_id, healthy().without(need)).reason


def test_growth_is_last_over_first() -> None:
    p = healthy().curve("graph_nodes", np.repeat([10.0, 20.0, 30.0, 40.0, 50.0], N // 5))
    first, last = np.array_split(np.repeat([10.0, 20.0, 30.0, 40.0, 50.0], N // 5), 6)[::5]
    assert measured("graph-growth", p).value == np.median(last) / np.median(first)


def test_the_error_is_quoted_with_its_line() -> None:
    text = measured("crash-infrastructure", died("IndexError", "Target 10 is out of bounds.")).text
    assert "Target 10 is out of bounds." in text and "train.py:12" in text
