# expect: unstable-math
# about: heteroscedastic regression whose variance is log(1 + exp(s)) of an unbounded s and is divided by without a floor
import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)
x = torch.rand(2000, 1) * 6 - 3
noise = torch.where(x > 0, 0.3 * x, torch.zeros_like(x))
y = torch.sin(x) + noise * torch.randn_like(x)
xv = torch.rand(400, 1) * 6 - 3
yv = torch.sin(xv) + torch.where(xv > 0, 0.3 * xv, torch.zeros_like(xv)) * torch.randn_like(xv)


class MeanVariance(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mean, self.s = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), torch.log(1 + torch.exp(20 * self.s(h)))


def nll(mean, var, y):
    return (0.5 * torch.log(var) + 0.5 * (y - mean) ** 2 / var).mean()


model = MeanVariance()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(30):
    for b in torch.randperm(2000).split(64):
        mean, var = model(x[b])
        loss = nll(mean, var, y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch} nll {loss.item():.4f} val {nll(*model(xv), yv).item():.4f}")
# cure: - return self.mean(h), torch.log(1 + torch.exp(20 * self.s(h)))
# cure: + return self.mean(h), nn.functional.softplus(self.s(h)) + 1e-3
