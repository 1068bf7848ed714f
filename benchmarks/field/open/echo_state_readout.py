# expect: healthy
# about: reservoir computing: a fixed random recurrent layer on purpose, only the linear readout on whitened states learns to forecast a chaotic series, compared with ridge regression in closed form
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(52)


def mackey_glass(n, tau=17, seed=0):
    rng = np.random.default_rng(seed)
    x = list(1.2 + 0.1 * rng.standard_normal(tau * 10 + 1))
    for _ in range((n + 300) * 10):
        d = x[-tau * 10 - 1]
        x.append(x[-1] + 0.1 * (0.2 * d / (1 + d**10) - 0.1 * x[-1]))
    return torch.tensor(np.array(x[-n * 10:][::10]), dtype=torch.float32)


class Reservoir(nn.Module):
    def __init__(self, size=200, radius=0.9, leak=0.5):
        super().__init__()
        w = torch.randn(size, size) * (torch.rand(size, size) < 0.1)
        self.w = nn.Parameter(w * radius / torch.linalg.eigvals(w).abs().max(), requires_grad=False)
        self.win = nn.Parameter(torch.rand(size, 2) - 0.5, requires_grad=False)
        self.leak = leak
        self.readout = nn.Linear(size + 1, 1)

    @torch.no_grad()
    def states(self, u):
        h, out = torch.zeros(self.w.shape[0]), []
        for v in u:
            h = (1 - self.leak) * h + self.leak * torch.tanh(self.w @ h + self.win @ torch.stack([v, torch.tensor(1.0)]))
            out.append(h)
        return torch.cat([torch.stack(out), u[:, None]], 1)

    def forward(self, s):
        return self.readout(s).squeeze(-1)


AHEAD = 6
series = mackey_glass(2600)
series = (series - series[:2000].mean()) / series[:2000].std()
esn = Reservoir()
S = esn.states(series)[100:-AHEAD]
T = series[100 + AHEAD:]
cut = 1900
mu = S[:cut].mean(0)
U, sv, V = torch.linalg.svd((S[:cut] - mu).double(), full_matrices=False)
keep = sv > 1e-3 * sv[0]
S = (((S - mu).double() @ V[keep].T) / sv[keep] * cut**0.5).float()
esn.readout = nn.Linear(int(keep.sum()), 1)
opt = torch.optim.Adam([p for p in esn.parameters() if p.requires_grad], lr=5e-3)
epochs = 60
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-2, total_steps=epochs * 19)
print("trainable", sum(p.numel() for p in esn.parameters() if p.requires_grad), "of", sum(p.numel() for p in esn.parameters()))
for ep in range(epochs):
    for b in torch.randperm(cut).split(100):
        loss = (esn(S[b]) - T[b]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    if ep % 10 == 9:
        with torch.no_grad():
            print(f"epoch {ep + 1} train {loss.item():.5f} later part {(esn(S[cut:]) - T[cut:]).pow(2).mean():.5f}")
A = torch.cat([S, torch.ones(len(S), 1)], 1).double()
w = torch.linalg.solve(A[:cut].T @ A[:cut] + 1.0 * torch.eye(A.shape[1]).double(), A[:cut].T @ T[:cut].double())
print(f"ridge {(A[cut:] @ w - T[cut:]).pow(2).mean():.5f} | last value kept {(series[100 + cut:-AHEAD] - T[cut:]).pow(2).mean():.5f}")
