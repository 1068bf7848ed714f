"""A guarded script with loader workers, batch norm and an evaluation every epoch."""

import torch
import torch.nn.functional as F
from _state import show
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.drop = nn.Dropout2d(0.2)
        self.out = nn.Linear(8 * 16, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return self.out(self.drop(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    total = hits = 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            total += F.cross_entropy(out, y, reduction="sum").item()
            hits += (out.argmax(1) == y).sum().item()
    return total / len(loader.dataset), hits / len(loader.dataset)


def main():
    torch.manual_seed(1)
    x = torch.randn(96, 1, 8, 8)
    y = torch.randint(0, 3, (96,))
    train = DataLoader(TensorDataset(x[:64], y[:64]), batch_size=16, shuffle=True, num_workers=2)
    test = DataLoader(TensorDataset(x[64:], y[64:]), batch_size=16, num_workers=2, persistent_workers=True)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(3):
        model.train()
        for inputs, labels in train:
            optimizer.zero_grad(set_to_none=False)
            F.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
        print(evaluate(model, test))
    show(*model.state_dict().values())


if __name__ == "__main__":
    main()
