# expect: vanishing-gradients
# about: eight narrow sigmoid blocks classify digits; early layers get no gradient
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X).float() / 16, torch.tensor(y)


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, d), nn.Sigmoid())

    def forward(self, x):
        return self.f(x)


model = nn.Sequential(nn.Linear(64, 32), *[Block(32) for _ in range(8)], nn.Linear(32, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
for epoch in range(10):
    for b in torch.randperm(1400).split(50):
        loss = nn.functional.cross_entropy(model(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = model(X[1400:])
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, y[1400:]).item():.4f} acc {(o.argmax(1) == y[1400:]).float().mean():.3f}")
# cure: - return self.f(x)
# cure: + return x + self.f(x) - 0.5
