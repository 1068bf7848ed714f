# expect: healthy
# about: GARCH(1,1) volatility fitted by maximum likelihood in torch, three raw parameters, the loss is negative and moves in the second decimal only
import math

import torch

torch.set_num_threads(1)
torch.manual_seed(60)
torch.set_default_dtype(torch.float64)
OMEGA, ALPHA, BETA, T, ASSETS = 2e-6, 0.12, 0.83, 220, 120


def simulate():
    var = torch.full((ASSETS,), OMEGA / (1 - ALPHA - BETA))
    out = []
    for _ in range(T + 100):
        r = var.sqrt() * torch.randn(ASSETS)
        out.append(r)
        var = OMEGA + ALPHA * r**2 + BETA * var
    return torch.stack(out[100:], 1)


r = simulate()
train, test = r[:90], r[90:]
base = train.var().item()


def neg_loglik(x, raw):
    persistence = torch.sigmoid(raw[1])
    alpha, beta = persistence * torch.sigmoid(raw[2]), persistence * (1 - torch.sigmoid(raw[2]))
    omega = base * raw[0].exp() * (1 - persistence)
    var, total = torch.full((len(x),), base), 0.0
    for t in range(T):
        total = total + 0.5 * (var.log() + x[:, t] ** 2 / var)
        var = omega + alpha * x[:, t] ** 2 + beta * var
    return total.mean() / T + 0.5 * math.log(2 * math.pi), (omega.item(), alpha.item(), beta.item())


raw = torch.zeros(3, requires_grad=True)
opt = torch.optim.Adam([raw], lr=0.06)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 200)
for it in range(1, 201):
    pick = torch.randperm(90)[:45]
    loss, now = neg_loglik(train[pick], raw)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it % 25 == 0:
        print(f"it {it} nll per day {loss.item():.5f} omega {now[0]:.2e} alpha {now[1]:.3f} beta {now[2]:.3f}")
with torch.no_grad():
    fitted, _ = neg_loglik(test, raw)
    p = ALPHA + BETA
    ideal = torch.tensor([math.log(OMEGA / base / (1 - p)), math.log(p / (1 - p)), math.log(ALPHA / BETA)])
    print(f"other assets: fitted {fitted:.5f} | true parameters {neg_loglik(test, ideal)[0]:.5f} | constant volatility {0.5 * (math.log(2 * math.pi * base) + (test**2).mean().item() / base):.5f}")
