# expect: wrong-loss
# also: output-range-mismatch, unstable-math
# about: Poisson regression: the net gives log rates but the loss is told that they are rates
import torch
from torch import nn

torch.manual_seed(14)
torch.set_num_threads(1)
X = torch.randn(3000, 5)
log_rate = 0.8 * X[:, 0] - 0.6 * X[:, 1] * X[:, 2] + 0.3
counts = torch.poisson(log_rate.clamp(max=3).exp())
net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.PoissonNLLLoss(log_input=False)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)


def deviance(eta, k):
    rate = eta.exp()
    return (2 * (torch.xlogy(k, k / rate) - (k - rate))).mean()


for epoch in range(15):
    tot = 0.0
    for b in torch.randperm(2400).split(48):
        opt.zero_grad()
        loss = criterion(net(X[b]).squeeze(1), counts[b])
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    with torch.no_grad():
        eta = net(X[2400:]).squeeze(1)
        print(f"epoch {epoch} train {tot:.4f} val {criterion(eta, counts[2400:]).item():.4f} deviance {deviance(eta, counts[2400:]).item():.3f}")
# cure: - criterion = nn.PoissonNLLLoss(log_input=False)
# cure: + criterion = nn.PoissonNLLLoss(log_input=True)
