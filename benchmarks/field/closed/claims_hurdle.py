# expect: unstable-math
# about: insurance claims with many zeros; the log term is masked with torch.where and the gradient turns nan
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(2)
N = 3000
X = torch.randn(N, 5)
occurs = torch.bernoulli(torch.sigmoid(X[:, 0] - 0.5))
amount = occurs * torch.exp(0.6 * X[:, 1] + 0.4 * X[:, 2] + 0.3 * torch.randn(N) + 1)


class Hurdle(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.gate = nn.Linear(32, 1)
        self.size = nn.Linear(32, 1)
        nn.init.constant_(self.size.bias, 0.5)

    def forward(self, x):
        h = self.body(x)
        return self.gate(h).squeeze(1), torch.relu(self.size(h)).squeeze(1)


def criterion(gate, size, target):
    bce = nn.functional.binary_cross_entropy_with_logits(gate, (target > 0).float())
    log_size = torch.log(size + 0.0)
    log_target = torch.log(target.clamp_min(1e-3))
    sq = torch.where((target > 0) & (size > 0), (log_size - log_target) ** 2, torch.zeros_like(size))
    return bce + sq.sum() / (target > 0).sum()


model = Hurdle()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(12):
    s = 0.0
    for idx in torch.randperm(2400).split(100):
        g, m = model(X[idx])
        loss = criterion(g, m, amount[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        s += loss.item() / 24
    with torch.no_grad():
        g, m = model(X[2400:])
        t = amount[2400:]
        acc = ((g > 0) == (t > 0)).float().mean().item()
        rl = (torch.log(m + 1e-3) - torch.log(t + 1e-3))[t > 0].pow(2).mean().sqrt().item()
    print(f"epoch {epoch} loss {s:.4f} claim acc {acc:.3f} log-size rmse {rl:.3f}")
# cure: - log_size = torch.log(size + 0.0)
# cure: + log_size = torch.log(size + 1e-2)
