# expect: weight-decay-too-strong
# about: handwritten glyph classifier with the weight decay of the winning row of a sweep sheet
from dataclasses import dataclass

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 0.1
    epochs: int = 12
    batch_size: int = 50


def main(cfg: Config) -> None:
    torch.manual_seed(44)
    torch.set_num_threads(1)
    digits = load_digits()
    x, y = torch.tensor(digits.data, dtype=torch.float32) / 8 - 1, torch.tensor(digits.target)
    train, test = TensorDataset(x[:1400], y[:1400]), (x[1400:], y[1400:])
    model = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay)
    loader = DataLoader(train, cfg.batch_size, shuffle=True)
    for epoch in range(cfg.epochs):
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        with torch.no_grad():
            out = model(test[0])
        print(f"{epoch=} train={total / len(loader):.4f} test={nn.functional.cross_entropy(out, test[1]):.4f} acc={(out.argmax(1) == test[1]).float().mean():.3f}")


main(Config())
# cure: - weight_decay: float = 0.1
# cure: + weight_decay: float = 1e-4
