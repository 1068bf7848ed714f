# expect: healthy
# about: pure premium of motor policies, 88 % zeros and heavy tail, Tweedie deviance with log link and exposure weights; deviance falls only a little because claims are mostly chance
import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
rng = np.random.default_rng(2024)
torch.manual_seed(2024)
N, POWER = 30000, 1.5
age = rng.integers(18, 80, N)
power = rng.gamma(4, 25, N)
density = rng.lognormal(5, 1.3, N)
bonus = np.clip(rng.exponential(20, N) + 50, 50, 200)
region = rng.integers(0, 10, N)
reg_eff = rng.normal(0, 0.25, 10)
expo = rng.uniform(0.1, 1.0, N)
freq = np.exp(-2.3 + 0.9 * np.exp(-(age - 18) / 8) + 0.012 * (bonus - 50) + 0.12 * (np.log(density) - 5) + reg_eff[region])
sev = 1200 * np.exp(0.004 * (power - 100))
counts = rng.poisson(freq * expo)
amount = np.array([rng.gamma(1.2, s / 1.2, c).sum() for c, s in zip(counts, sev)])
target = amount / expo
mu_true = freq * sev
num = np.column_stack([np.exp(-(age - 18) / 10), (age - 45) / 15, (power - 100) / 50, (np.log(density) - 5) / 1.3, (bonus - 70) / 20])
X = torch.tensor(num, dtype=torch.float32)
R, E, Y = torch.tensor(region), torch.tensor(expo, dtype=torch.float32), torch.tensor(target, dtype=torch.float32)
tr, te = slice(0, 24000), slice(24000, N)


def deviance(mu, y, w):
    d = 2 * (y.clamp(min=0) ** (2 - POWER) / ((1 - POWER) * (2 - POWER)) - y * mu ** (1 - POWER) / (1 - POWER) + mu ** (2 - POWER) / (2 - POWER))
    return (w * d).sum() / w.sum()


class Premium(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.region = nn.Embedding(10, 2)
        self.net = nn.Sequential(nn.Linear(7, 20), nn.Tanh(), nn.Linear(20, 10), nn.Tanh(), nn.Linear(10, 1))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.constant_(self.net[-1].bias, float(np.log(start)))

    def forward(self, x, r):
        return self.net(torch.cat([x, self.region(r)], 1)).squeeze(1).exp()


base = float((Y[tr] * E[tr]).sum() / E[tr].sum())
model = Premium(base)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)
print(f"zero claims {(amount == 0).mean():.3f}, mean premium {base:.0f}")
for epoch in range(12):
    acc = []
    for b in torch.randperm(24000).split(500):
        loss = deviance(model(X[tr][b], R[tr][b]), Y[tr][b], E[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        acc.append(loss.item())
    sched.step()
    with torch.no_grad():
        out = model(X[te], R[te])
    print(f"epoch {epoch} train deviance {np.mean(acc):.3f} test {deviance(out, Y[te], E[te]).item():.3f}")
flat, ideal = torch.full_like(Y[te], base), torch.tensor(mu_true[te], dtype=torch.float32)
print(f"flat premium {deviance(flat, Y[te], E[te]):.3f} | true premium {deviance(ideal, Y[te], E[te]):.3f} | rank correlation with the true premium {np.corrcoef(np.argsort(np.argsort(out.numpy())), np.argsort(np.argsort(mu_true[te])))[0, 1]:.3f}")
