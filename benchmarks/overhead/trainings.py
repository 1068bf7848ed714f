"""The trainings whose cost is compared: `python trainings.py NAME STEPS` trains and prints CPU seconds of the loop.

CPU time of all threads (`time.process_time`), because wall time on a shared machine measures the neighbours.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

Batch = tuple[torch.Tensor, torch.Tensor]


class LanguageModel(nn.Module):
    """A small causal transformer."""

    def __init__(self, vocabulary: int = 256, width: int = 128, length: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.zeros(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        hidden = self.body(self.embedding(ids) + self.position, mask=mask, is_causal=True)
        return self.head(hidden).transpose(1, 2)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 128, num_layers=2, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(x)[0][:, -1])


def language_model() -> tuple[nn.Module, Callable[[], Batch]]:
    return LanguageModel(), lambda: (torch.randint(0, 256, (16, 64)), torch.randint(0, 256, (16, 64)))


def convolutional() -> tuple[nn.Module, Callable[[], Batch]]:
    def block(a: int, b: int) -> list[nn.Module]:
        return [nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]

    model = nn.Sequential(*block(3, 32), *block(32, 64), *block(64, 64), nn.Flatten(), nn.Linear(64 * 16, 10))
    return model, lambda: (torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,)))


def recurrent() -> tuple[nn.Module, Callable[[], Batch]]:
    return Recurrent(), lambda: (torch.randn(32, 40, 32), torch.randint(0, 10, (32,)))


def tiny() -> tuple[nn.Module, Callable[[], Batch]]:
    model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 3))
    return model, lambda: (torch.randn(32, 20), torch.randint(0, 3, (32,)))


def deep() -> tuple[nn.Module, Callable[[], Batch]]:
    layers = [part for _ in range(200) for part in (nn.Linear(64, 64), nn.Tanh())]
    return nn.Sequential(*layers, nn.Linear(64, 3)), lambda: (torch.randn(64, 64), torch.randint(0, 3, (64,)))


# name: (what makes it, steps that take some ten to twenty seconds of CPU time)
TRAININGS = {
    "transformer LM": (language_model, 150),
    "CNN with batch norm": (convolutional, 500),
    "LSTM": (recurrent, 1000),
    "200-layer MLP": (deep, 800),
    "tiny MLP": (tiny, 40_000),
}

Step = Callable[[int, torch.Tensor], object]
Tracker = Callable[[nn.Module, torch.optim.Optimizer], Step]


def train(name: str, steps: int, tracker: Tracker | None = None) -> float:
    """CPU seconds of the loop. A tracker is told the number and the loss of every step."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, batch = TRAININGS[name][0]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    step = tracker(model, optimizer) if tracker is not None else None
    began = time.process_time()
    for number in range(steps):
        inputs, labels = batch()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        if step is not None:
            step(number, loss)
    return time.process_time() - began


# Each as its own documentation shows it, with its own defaults.


def wandb(model: nn.Module, _optimizer: torch.optim.Optimizer) -> Step:
    import wandb

    run = wandb.init(project="overhead", mode="offline")
    run.watch(model)
    return lambda number, loss: run.log({"loss": loss.item()}, step=number)


def torch_audit(model: nn.Module, optimizer: torch.optim.Optimizer) -> Step:
    from torch_audit import autopatch

    autopatch(model, optimizer=optimizer)
    return lambda _number, _loss: None


def training_doctor(_model: nn.Module, optimizer: torch.optim.Optimizer) -> Step:
    from training_doctor import Doctor

    doctor = Doctor()
    return lambda number, loss: doctor.log(step=number, loss=loss.item(), lr=optimizer.param_groups[0]["lr"])


def trainpulse(model: nn.Module, optimizer: torch.optim.Optimizer) -> Step:
    from trainpulse import TrainingCallback

    callback = TrainingCallback()

    def step(number: int, loss: torch.Tensor) -> None:
        norm = float(torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm())
        callback.on_step_end(number, loss=loss.item(), grad_norm=norm, lr=optimizer.param_groups[0]["lr"])
        callback.on_step_begin(number + 1)

    callback.on_step_begin(0)
    return step


TRACKERS: dict[str, Tracker] = {
    "wandb": wandb,
    "torch_audit": torch_audit,
    "training_doctor": training_doctor,
    "trainpulse": trainpulse,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=TRAININGS)
    parser.add_argument("steps", type=int)
    parser.add_argument("--tracker", choices=TRACKERS)
    given = parser.parse_args()
    print(train(given.name, given.steps, TRACKERS[given.tracker] if given.tracker else None))
