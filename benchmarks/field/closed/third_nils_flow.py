# expect: healthy
import math, torch
from torch import nn
from sklearn.datasets import load_iris, make_moons
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

torch.manual_seed(2)
x, _ = make_moons(3000, noise=.04, random_state=1)
x = torch.tensor(x * .25).float(); x = x - x.mean(0)
tr, te = x[:2200], x[2200:]

class Coupling(nn.Module):
    def __init__(s, flip):
        super().__init__(); s.flip = flip
        s.net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))
        nn.init.zeros_(s.net[-1].weight); nn.init.zeros_(s.net[-1].bias)
    def forward(s, z):
        a, b = z.flip(1).unbind(1) if s.flip else z.unbind(1)
        ls, t = s.net(a[:, None]).unbind(1)
        ls = 2 * torch.tanh(ls)
        b = b * ls.exp() + t
        return torch.stack([b, a] if s.flip else [a, b], 1), ls

layers = nn.ModuleList(Coupling(i % 2 == 1) for i in range(8))
scale = nn.Parameter(torch.zeros(2))
def logp(z):
    z = z * scale.exp(); ld = scale.sum().expand(len(z))
    for l in layers:
        z, d = l(z); ld = ld + d
    return (-.5 * z ** 2 - .5 * math.log(2 * math.pi)).sum(1) + ld

opt = torch.optim.Adam([*layers.parameters(), scale], 2e-3)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1200)
for i in range(1200):
    loss = -logp(tr[torch.randint(0, len(tr), (128,))]).mean()
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(layers.parameters(), 5.); opt.step(); sch.step()
    if i % 200 == 199:
        with torch.no_grad(): print(i, loss.item(), "test nll", -logp(te).mean().item())
for k in (1, 4, 10): print("gmm", k, -GaussianMixture(k, random_state=0).fit(tr).score(te))
