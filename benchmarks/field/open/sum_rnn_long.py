# expect: exploding-gradients
# also: init-too-large
import torch
import torch.nn as nn

torch.manual_seed(17)
T = 60


def adding_problem(n):
    v = torch.rand(n, T)
    m = torch.zeros(n, T)
    for r in range(n):
        i, j = torch.randperm(T)[:2]
        m[r, i] = m[r, j] = 1
    return torch.stack([v, m], -1), (v * m).sum(1)


class ReluRNN(nn.Module):
    def __init__(self, h=64, gain=1.0):
        super().__init__()
        self.wx = nn.Linear(2, h)
        self.wh = nn.Linear(h, h, bias=False)
        self.out = nn.Linear(h, 1)
        nn.init.orthogonal_(self.wh.weight, gain=gain)
        self.h = h

    def forward(self, x):
        s = x.new_zeros(x.size(0), self.h)
        for t in range(x.size(1)):
            s = torch.relu(self.wx(x[:, t]) + self.wh(s))
        return self.out(s).squeeze(1)


xtr, ytr = adding_problem(2000)
xva, yva = adding_problem(400)
model = ReluRNN(gain=1.5)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
mse = nn.MSELoss()
print("predict-the-mean mse:", yva.var().item())
for epoch in range(20):
    perm = torch.randperm(2000)
    tot = 0
    for idx in perm.split(50):
        loss = mse(model(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        v = mse(model(xva), yva).item()
    print(f"epoch {epoch} train {tot/40:.4g} val {v:.4g}")
