# expect: healthy
# about: accelerated failure time model with Weibull likelihood, two thirds of the customers censored; the C-index ends at what the true hazards reach
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(62)
torch.manual_seed(62)
n = 8000
plan = rng.integers(0, 3, n)
calls = rng.poisson(1.0, n)
price = rng.normal(40, 12, n)
use = rng.gamma(2, 2, n)
log_scale = 3.6 - 0.35 * (plan == 0) + 0.5 * (plan == 2) - 0.25 * np.minimum(calls, 4) - 0.02 * (price - 40) + 0.4 * np.tanh(use - 3)
life = np.exp(log_scale) * rng.weibull(1.4, n)
stop = rng.uniform(2, 36, n)
t = torch.tensor(np.minimum(life, stop), dtype=torch.float32)
event = torch.tensor((life <= stop).astype(np.float32))
X = torch.tensor(np.column_stack([plan == 0, plan == 2, (calls - 1) / 1.0, (price - 40) / 12, (use - 4) / 2.8]), dtype=torch.float32)
tr, te = slice(0, 6000), slice(6000, n)


class AFT(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 20), nn.Softplus(), nn.Linear(20, 1))
        self.log_shape = nn.Parameter(torch.zeros(()))
        nn.init.constant_(self.net[-1].bias, 3.0)

    def forward(self, x):
        return self.net(x).squeeze(1)

    def nll(self, x, t, d):
        mu, k = self(x), self.log_shape.exp()
        z = k * (t.log() - mu)
        return -(d * (self.log_shape - t.log() + z) - z.exp()).mean()


def c_index(risk, t, d):
    ok = (t[:, None] < t[None]) & (d[:, None] > 0)
    return ((risk[:, None] > risk[None]) & ok).sum().item() / ok.sum().item()


model = AFT()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 15)
print(f"censored {1 - event.mean():.3f}")
for ep in range(15):
    run = []
    for b in torch.randperm(6000).split(150):
        loss = model.nll(X[tr][b], t[tr][b], event[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        run.append(loss.item())
    sched.step()
    with torch.no_grad():
        print(f"epoch {ep} nll {np.mean(run):.4f} test {model.nll(X[te], t[te], event[te]):.4f} shape {model.log_shape.exp():.3f} C {c_index(-model(X[te]), t[te], event[te]):.4f}")
print(f"true scale: C {c_index(-torch.tensor(log_scale[te]), t[te], event[te]):.4f}, true shape 1.4")
