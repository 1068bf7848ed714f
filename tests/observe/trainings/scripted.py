"""TorchScript: a scripted model, a scripted loss, a traced function."""

import warnings

import torch
from _state import show
from torch import nn

warnings.filterwarnings("ignore", category=DeprecationWarning)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(5, 10)
        self.two = nn.Linear(10, 2)

    def forward(self, x):
        return self.two(torch.relu(self.one(x)))


class Score(nn.Module):
    def forward(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits, labels)


torch.manual_seed(17)
model, score = torch.jit.script(Net()), torch.jit.script(Score())
normalise = torch.jit.trace(lambda t: (t - t.mean()) / t.std(), torch.randn(4, 5))
optimizer = torch.optim.ASGD(model.parameters(), lr=0.1)
x, y = torch.randn(64, 5), torch.randint(0, 2, (64,))
for step in range(30):
    optimizer.zero_grad()
    loss = score(model(normalise(x)), y)
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(step, loss.item())
show(*model.parameters())
