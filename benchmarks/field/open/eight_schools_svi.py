# expect: healthy
# about: hierarchical model with eight observations and a strong prior, variational inference with reparameterised samples; noisy loss, two dozen parameters, answer known from the literature
import math

import torch

torch.manual_seed(107)
torch.set_num_threads(1)
effect = torch.tensor([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
sigma = torch.tensor([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])

loc = torch.zeros(10, requires_grad=True)
log_scale = torch.full((10,), -1.0, requires_grad=True)


def log_joint(v):
    mu, log_tau, eta = v[..., 0] * 10, v[..., 1] + 1.0, v[..., 2:]
    tau = log_tau.exp()
    theta = mu[..., None] + tau[..., None] * eta
    lp = -0.5 * (mu / 10) ** 2 - 0.5 * (eta**2).sum(-1)
    lp = lp + math.log(2) + log_tau - math.log(math.pi * 5) - torch.log1p((tau / 5) ** 2)
    lp = lp - (0.5 * ((effect - theta) / sigma) ** 2 + sigma.log() + 0.5 * math.log(2 * math.pi)).sum(-1)
    return lp


def neg_elbo(samples):
    v = loc + log_scale.exp() * torch.randn(samples, 10)
    entropy = log_scale.sum() + 5 * math.log(2 * math.pi * math.e)
    return -(log_joint(v).mean() + entropy)


optimizer = torch.optim.Adam([loc, log_scale], lr=0.02)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [1500, 2500], gamma=0.2)
window = []
for it in range(1, 3501):
    optimizer.zero_grad()
    loss = neg_elbo(16)
    loss.backward()
    optimizer.step()
    scheduler.step()
    window.append(loss.item())
    if it % 500 == 0:
        print(f"iter {it} -ELBO {sum(window[-300:]) / 300:.4f}")
with torch.no_grad():
    v = loc + log_scale.exp() * torch.randn(20000, 10)
    mu, tau = v[:, 0] * 10, (v[:, 1] + 1).exp()
    theta = mu[:, None] + tau[:, None] * v[:, 2:]
print(f"mu {mu.mean():.2f} +- {mu.std():.2f}; tau median {tau.median():.2f}; school effects", [round(t, 1) for t in theta.mean(0).tolist()])
