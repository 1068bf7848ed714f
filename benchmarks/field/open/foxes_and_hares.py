# expect: healthy
# about: four rate constants and two initial values of a predator-prey system fitted by back-propagating through the midpoint rule; six parameters, log-space, full batch
import torch

torch.set_num_threads(1)
torch.manual_seed(44)
DT, STEPS, EVERY = 0.1, 120, 2
truth = torch.tensor([1.1, 0.4, 0.4, 0.1])  # growth of hares, death of foxes, hares eaten, foxes fed
SIGNS = torch.tensor([1.0, -1.0])


def rhs(z, th):
    return z * SIGNS * (th[:2] - th[2:] * z.flip(0))


def simulate(th, z):
    out = []
    for i in range(STEPS):
        k1 = rhs(z, th)
        z = z + DT * rhs(z + DT / 2 * k1, th)
        if i % EVERY == EVERY - 1:
            out.append(z)
    return torch.stack(out)


with torch.no_grad():
    clean = simulate(truth, torch.tensor([8.0, 4.0]))
    observed = clean * torch.exp(0.08 * torch.randn_like(clean))

log_theta = torch.log(torch.tensor([0.8, 0.6, 0.3, 0.15])).requires_grad_()
log_start = torch.log(observed[0].clone()).requires_grad_()
opt = torch.optim.Adam([log_theta, log_start], lr=0.08)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.98)
for epoch in range(1, 201):
    opt.zero_grad()
    path = simulate(log_theta.exp(), log_start.exp())
    loss = (path.log() - observed.log()).pow(2).mean()
    loss.backward()
    opt.step()
    sched.step()
    if epoch % 20 == 0:
        print(f"epoch {epoch} log mse {loss.item():.5f} rates {[round(v, 3) for v in log_theta.exp().tolist()]}")
with torch.no_grad():
    best = (clean.log() - observed.log()).pow(2).mean()
print(f"true rates {truth.tolist()}, log mse of the true curve {best.item():.5f}")
