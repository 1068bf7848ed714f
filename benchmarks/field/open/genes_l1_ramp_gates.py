# expect: healthy
# about: feature selection with hard-concrete gates: the sparsity coefficient is ramped up, so the reported total doubles before it falls, the fit stays good and 190 of 200 inputs close
import math

import torch
import torch.nn as nn

torch.manual_seed(91)
torch.set_num_threads(1)
N, D, USED = 2400, 200, 10
X = torch.randn(N, D)
w = torch.zeros(D)
w[:USED] = torch.tensor([1.5, -1.2, 1.0, 0.9, -0.9, 0.8, 1.1, -1.4, 0.7, 1.3])
y = X @ w + 0.6 * X[:, 0] * X[:, 1] + 0.3 * torch.randn(N)
y = (y - y[:2000].mean()) / y[:2000].std()
LOW, HIGH, TEMP = -0.1, 1.1, 0.66


class GatedNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_alpha = nn.Parameter(torch.full((D,), 2.0))
        self.net = nn.Sequential(nn.Linear(D, 32), nn.ReLU(), nn.Linear(32, 1))

    def gates(self):
        if self.training:
            u = torch.rand(D).clamp(1e-6, 1 - 1e-6)
            s = torch.sigmoid((u.log() - (1 - u).log() + self.log_alpha) / TEMP)
        else:
            s = torch.sigmoid(self.log_alpha)
        return (s * (HIGH - LOW) + LOW).clamp(0, 1)

    def expected_open(self):
        return torch.sigmoid(self.log_alpha - TEMP * math.log(-LOW / HIGH)).sum()

    def forward(self, x):
        return self.net(x * self.gates()).squeeze(1)


model = GatedNet()
opt = torch.optim.Adam([{"params": model.net.parameters(), "lr": 3e-3}, {"params": [model.log_alpha], "lr": 3e-2}])
EPOCHS = 40
for epoch in range(EPOCHS):
    coefficient = 3e-3 * min(1.0, epoch / 25)
    if epoch == 32:
        for group in opt.param_groups:
            group["lr"] *= 0.1
    model.train()
    total = 0.0
    for b in torch.randperm(2000).split(50):
        loss = nn.functional.mse_loss(model(X[b]), y[b]) + coefficient * model.expected_open()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 40
    if epoch % 4 == 3:
        model.eval()
        with torch.no_grad():
            mse = nn.functional.mse_loss(model(X[2000:]), y[2000:]).item()
            kept = (model.gates() > 0).nonzero().flatten().tolist()
        print(f"epoch {epoch + 1} coefficient {coefficient:.4f} total {total:.4f} test mse {mse:.4f} open gates {len(kept)}")
print("kept inputs", kept)
