# expect: weight-decay-too-strong
# about: hand-written L2 penalty of 0.3 times the squared norm swamps the data term
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1600, 10)
y = torch.tanh(X[:, 0] + X[:, 1]) + 0.5 * X[:, 2] * X[:, 3]
net = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
lam = 0.3
for epoch in range(20):
    for b in torch.randperm(1300).split(50):
        fit = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        reg = sum((p**2).sum() for p in net.parameters())
        loss = fit + lam * reg
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 2:
        with torch.no_grad():
            v = nn.functional.mse_loss(net(X[1300:]).squeeze(1), y[1300:]).item()
        print(f"epoch {epoch} loss {loss.item():.4f} fit {fit.item():.4f} val {v:.4f} (variance {y[1300:].var().item():.3f})")
# cure: - lam = 0.3
# cure: + lam = 1e-4
