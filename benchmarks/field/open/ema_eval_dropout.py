# expect: eval-mode-missing
# about: tabular classifier with dropout before both layers, validation in a helper function
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1800, 20)
w = torch.randn(20, 3)
Y = (X @ w + 0.4 * torch.randn(1800, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Dropout(0.3), nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 3))

    def forward(self, x):
        return self.f(x)


def evaluate(net, x, y):
    with torch.no_grad():
        o = net(x)
    return nn.functional.cross_entropy(o, y).item(), (o.argmax(1) == y).float().mean().item()


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(15):
    net.train()
    for b in torch.randperm(1400).split(35):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(X[b]), Y[b])
        loss.backward()
        opt.step()
    vl, va = evaluate(net, X[1400:], Y[1400:])
    print(f"epoch {epoch} train {loss.item():.4f} val {vl:.4f} acc {va:.3f}")
# cure: - vl, va = evaluate(net, X[1400:], Y[1400:])
# cure: + vl, va = evaluate(net.eval(), X[1400:], Y[1400:])
