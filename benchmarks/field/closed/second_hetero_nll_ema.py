# expect: healthy
"""Mean and variance network; the Gaussian NLL goes below zero on purpose. Averaged weights for evaluation."""
import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(27)


def data(n):
    x = torch.rand(n, 2) * 2 - 1
    mu = torch.sin(3 * x[:, 0]) * x[:, 1]
    sd = 0.02 + 0.1 * x[:, 0].abs()
    return x, mu + sd * torch.randn(n), mu, sd


class MeanVar(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.mu, self.logvar = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mu(h).squeeze(1), self.logvar(h).squeeze(1).clamp(-9, 3)


def nll(out, y):
    m, lv = out
    return 0.5 * (lv + (y - m) ** 2 / lv.exp()).mean()


x, y, _, _ = data(4000)
xv, yv, muv, sdv = data(2000)
model = MeanVar()
ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 70)
for ep in range(70):
    for idx in torch.randperm(4000).split(100):
        loss = nll(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        ema.update_parameters(model)
    sched.step()
    if ep % 10 == 9:
        with torch.no_grad():
            print(f"epoch {ep} batch nll {loss.item():.3f} val nll {nll(model(xv), yv).item():.3f} ema {nll(ema(xv), yv).item():.3f}")
with torch.no_grad():
    print(f"final ema {nll(ema(xv), yv).item():.3f}  oracle {nll((muv, 2 * sdv.log()), yv).item():.3f}  "
          f"constant variance oracle {nll((muv, torch.full_like(muv, (sdv ** 2).mean().log().item())), yv).item():.3f}")
