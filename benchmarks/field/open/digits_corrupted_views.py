# expect: over-regularized
# about: digit classifier fed through on-the-fly corruption: shifts, erasing and noise
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(73)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 8 - 1, torch.tensor(y)
NOISE = 2.5
ERASE = 0.6


def corrupt(x):
    x = torch.roll(x, (int(torch.randint(-1, 2, ())), int(torch.randint(-1, 2, ()))), (2, 3))
    x = x * (torch.rand_like(x) > ERASE)
    return x + NOISE * torch.randn_like(x)


net = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(24, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(12):
    net.train()
    tot = 0.0
    for b in torch.randperm(1400).split(40):
        loss = nn.functional.cross_entropy(net(corrupt(X[b])), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        o = net(X[1400:])
    print(f"epoch {epoch + 1:2d} train {tot / 35:.3f} val {nn.functional.cross_entropy(o, y[1400:]):.3f} acc {(o.argmax(1) == y[1400:]).float().mean():.3f}")
# cure: - NOISE = 2.5
# cure: + NOISE = 0.1
# cure: - ERASE = 0.6
# cure: + ERASE = 0.05
