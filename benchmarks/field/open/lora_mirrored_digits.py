# expect: symmetric-init
# also: frozen-layers
# about: low-rank adapters on a network trained on upright digits, adapted to mirrored ones
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(22)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32) / 16, torch.tensor(y)
Xm = X.view(-1, 8, 8).transpose(1, 2).reshape(-1, 64)


class LoRALinear(nn.Module):
    def __init__(self, base, r=8, alpha=16):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.zeros(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        self.scale = alpha / r

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.T @ self.B.T)


def train(net, data, steps, lr, tag):
    opt = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=lr)
    for s in range(1, steps + 1):
        b = torch.randint(0, 1400, (64,))
        loss = nn.functional.cross_entropy(net(data[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 100 == 0:
            with torch.no_grad():
                acc = (net(data[1400:]).argmax(1) == y[1400:]).float().mean()
            print(f"{tag} {s} loss {loss.item():.3f} acc {acc:.3f}")


net = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 96), nn.GELU(), nn.Linear(96, 10))
train(net, X, 300, 3e-3, "base")
for i in (0, 2, 4):
    net[i] = LoRALinear(net[i])
train(net, Xm, 600, 3e-3, "adapt")
# cure: - self.A = nn.Parameter(torch.zeros(r, base.in_features))
# cure: + self.A = nn.Parameter(torch.randn(r, base.in_features) / base.in_features**0.5)
