# expect: healthy
"""Quantile regression with the pinball loss (three quantiles at once)."""
import torch
import torch.nn as nn

torch.manual_seed(6)
QS = torch.tensor([0.1, 0.5, 0.9])


def gen(n):
    x = torch.rand(n, 1) * 4 - 2
    sd = 0.2 + 0.5 * torch.sigmoid(3 * x)
    return x, torch.sin(2 * x) + sd * torch.randn(n, 1)


def pinball(pred, y):
    e = y - pred
    return torch.maximum(QS * e, (QS - 1) * e).mean()


xtr, ytr = gen(3000)
xte, yte = gen(3000)
net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 3))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(90):
    for idx in torch.randperm(3000).split(100):
        loss = pinball(net(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 9:
        with torch.no_grad():
            q = net(xte)
            print(f"epoch {epoch+1}  last batch {loss.item():.4f}  test pinball {pinball(q, yte).item():.4f}"
                  f"  coverage {[round(c, 3) for c in (yte < q).float().mean(0).tolist()]}")

with torch.no_grad():
    sd = 0.2 + 0.5 * torch.sigmoid(3 * xte)
    zq = torch.distributions.Normal(0, 1).icdf(QS)
    print("oracle pinball %.4f" % pinball(torch.sin(2 * xte) + sd * zq, yte).item())
    print("constant quantiles %.4f" % pinball(torch.quantile(ytr, QS).unsqueeze(0), yte).item())
