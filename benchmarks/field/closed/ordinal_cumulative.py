# expect: healthy
# about: ordinal regression with cumulative logits and learned thresholds on a latent score with heavy label noise
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(14)
torch.set_num_threads(1)
cuts = torch.tensor([-1.5, -0.5, 0.5, 1.5])
beta = torch.tensor([0.9, -0.6, 0.5, 0.0, 0.3])


def survey(n):
    x = torch.randn(n, 5)
    latent = x @ beta + 0.3 * x[:, 0] * x[:, 3] + 0.6 * torch.randn(n)
    return x, torch.bucketize(latent, cuts)


class Cumulative(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1))
        self.first = nn.Parameter(torch.tensor(-1.0))
        self.gaps = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        t = torch.cat([self.first[None], self.first + F.softplus(self.gaps).cumsum(0)])
        return self.score(x) - t


def step_loss(model, x, y):
    above = (y[:, None] > torch.arange(4)).float()
    return F.binary_cross_entropy_with_logits(model(x), above, reduction="sum") / len(x)


def gen(n, bs):
    for _ in range(n):
        yield survey(bs)


model = Cumulative()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.02, total_iters=600)
xv, yv = survey(2000)
for i, (x, y) in enumerate(gen(600, 64)):
    loss = step_loss(model, x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if i % 100 == 99:
        with torch.no_grad():
            p = (model(xv) > 0).sum(1)
            print(i + 1, "loss %.3f" % loss.item(), "val %.3f" % step_loss(model, xv, yv).item(), "MAE %.3f" % (p - yv).abs().float().mean().item(), "acc %.3f" % (p == yv).float().mean().item())
ideal = xv @ beta + 0.3 * xv[:, 0] * xv[:, 3]
print("MAE of the noise-free latent %.3f, of the median class %.3f" % ((torch.bucketize(ideal, cuts) - yv).abs().float().mean().item(), (yv - 2).abs().float().mean().item()))
