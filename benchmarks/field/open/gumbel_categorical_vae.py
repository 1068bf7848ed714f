# expect: healthy
# about: VAE with twelve categorical latents by Gumbel-softmax, temperature annealed from 1 to 0.5, KL weight ramped up, so the loss in nats first falls and then climbs
import math

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(27)
x = (torch.tensor(load_digits().data, dtype=torch.float32) > 7).float()
x = x[torch.randperm(len(x))]
train, test = x[:1500], x[1500:]
LAT, CAT = 12, 8


class DiscreteVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 160), nn.ReLU(), nn.Linear(160, LAT * CAT))
        self.dec = nn.Sequential(nn.Linear(LAT * CAT, 160), nn.ReLU(), nn.Linear(160, 64))

    def forward(self, v, tau, hard=False):
        logits = self.enc(v).view(-1, LAT, CAT)
        z = F.gumbel_softmax(logits, tau=tau, hard=hard, dim=-1)
        q = logits.log_softmax(-1)
        kl = (q.exp() * (q + math.log(CAT))).sum((1, 2))
        rec = F.binary_cross_entropy_with_logits(self.dec(z.flatten(1)), v, reduction="none").sum(1)
        return rec, kl, q


vae = DiscreteVAE()
opt = torch.optim.Adam(vae.parameters(), lr=3e-3)
step = 0
for epoch in range(45):
    vae.train()
    run = 0.0
    for b in torch.randperm(1500).split(60):
        tau = max(0.5, math.exp(-1e-3 * step))
        rec, kl, _ = vae(train[b], tau)
        loss = (rec + min(1.0, step / 400) * kl).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        step += 1
        run += loss.item() / 25
    if epoch == 30:
        opt.param_groups[0]["lr"] = 5e-4
    if epoch % 5 == 4:
        vae.eval()
        with torch.no_grad():
            rec, kl, q = vae(test, tau, hard=True)
        use = q.exp().mean(0)
        print(f"epoch {epoch + 1} tau {tau:.2f} train {run:.2f} | test with hard codes: rec {rec.mean():.2f} kl {kl.mean():.2f} total {(rec + kl).mean():.2f} | code perplexity {(-(use * use.log()).sum(1)).exp().mean():.2f} of {CAT}")
p = train.mean(0).clamp(0.01, 0.99)
print(f"independent pixels {F.binary_cross_entropy(p.expand_as(test), test, reduction='none').sum(1).mean():.2f} nats")
