# expect: healthy
# about: DeepAR-like LSTM with negative-binomial likelihood over shops whose sales differ by 1000x, series scaled by their own mean, loss in nats
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(18)
torch.manual_seed(18)
SHOPS, DAYS, CTX = 80, 220, 42
level = np.exp(rng.uniform(0.7, 7, SHOPS))
week = np.exp(0.5 * np.sin(2 * np.pi * (np.arange(7)[None] + rng.integers(0, 7, SHOPS)[:, None]) / 7))
t = np.arange(DAYS)
rate = level[:, None] * week[:, t % 7] * np.exp(0.15 * np.sin(2 * np.pi * t / 90))[None]
sales = rng.negative_binomial(12, 12 / (12 + rate)).astype(np.float32)
S = torch.tensor(sales)
DOW = torch.eye(7)[torch.tensor(t % 7)]


class DeepAR(nn.Module):
    def __init__(self, hid=32):
        super().__init__()
        self.rnn = nn.LSTM(1 + 7 + 1, hid, batch_first=True)
        self.mu, self.shape = nn.Linear(hid, 1), nn.Linear(hid, 1)

    def forward(self, z, dow):
        nu = z[:, :14].mean(1, keepdim=True) + 1
        lag = torch.log1p(z[:, :-1] / nu)
        x = torch.cat([lag.unsqueeze(-1), dow[:, 1:], nu.log().unsqueeze(1).expand(-1, z.size(1) - 1, -1) / 5], -1)
        h, _ = self.rnn(x)
        mean = nu * nn.functional.softplus(self.mu(h)).squeeze(-1) + 1e-3
        conc = nn.functional.softplus(self.shape(h)).squeeze(-1) * 10 + 1e-2
        return mean[:, 13:], conc[:, 13:]


def nll(y, mean, conc):
    return -(torch.lgamma(y + conc) - torch.lgamma(conc) - torch.lgamma(y + 1) + conc * torch.log(conc / (conc + mean)) + y * torch.log(mean / (conc + mean))).mean()


def windows(n, lo, hi):
    shop, start = torch.randint(0, SHOPS, (n,)), torch.randint(lo, hi - CTX, (n,))
    idx = start[:, None] + torch.arange(CTX)
    return S[shop[:, None], idx], DOW[idx], torch.tensor(rate, dtype=torch.float32)[shop[:, None], idx]


model = DeepAR()
opt = torch.optim.Adam(model.parameters(), lr=8e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 600)
val = windows(400, 160, DAYS)
for step in range(600):
    z, d, _ = windows(32, 0, 160)
    mean, conc = model(z, d)
    loss = nll(z[:, 14:], mean, conc)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    opt.step()
    sched.step()
    if step % 75 == 74:
        with torch.no_grad():
            print(f"step {step + 1} train nll {loss.item():.3f} later weeks {nll(val[0][:, 14:], *model(val[0], val[1])).item():.3f}")
with torch.no_grad():
    y, r = val[0][:, 14:], val[2][:, 14:]
    last = val[0][:, 7:-7] + 0.5
    print(f"with the true rates {nll(y, r, torch.full_like(r, 12.0)).item():.3f} | last week as the mean {nll(y, last, torch.full_like(r, 6.0)).item():.3f}")
