# expect: healthy
# about: Sobolev training: energy and forces of a small molecule-like system fitted together, forces from torch.func.grad and vmap of the net; two losses of different size
import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(181)
torch.set_num_threads(1)


def true_energy(r):
    p = r.view(3, 2)
    d = torch.stack([(p[0] - p[1]).norm(), (p[1] - p[2]).norm(), (p[0] - p[2]).norm()])
    return (2.0 * (1 - torch.exp(-1.2 * (d - 1.0))) ** 2).sum()


def sample(n):
    base = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.5, 0.87])
    r = base + 0.12 * torch.randn(n, 6)
    return r, vmap(true_energy)(r), -vmap(grad(true_energy))(r)


r, e, f = sample(1200)
rt, et, ft = sample(400)
shift, scale = e.mean(), e.std()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(3, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))

    def forward(self, r):
        p = r.view(3, 2)
        d = torch.stack([(p[0] - p[1]).square().sum(), (p[1] - p[2]).square().sum(), (p[0] - p[2]).square().sum()]).sqrt()
        return self.mlp((d - 1.0) / 0.17).squeeze() * scale + shift


net = Net()
single = lambda params, x: functional_call(net, params, (x,))
energies = vmap(single, (None, 0))
forces = vmap(lambda params, x: -grad(single, argnums=1)(params, x), (None, 0))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
EPOCHS = 30
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
for epoch in range(1, EPOCHS + 1):
    le = lf = 0.0
    for b in torch.randperm(1200).split(30):
        params = dict(net.named_parameters())
        loss_e = (energies(params, r[b]) - e[b]).square().mean()
        loss_f = (forces(params, r[b]) - f[b]).square().mean()
        loss = loss_e + 0.1 * loss_f
        opt.zero_grad()
        loss.backward()
        opt.step()
        le, lf = le + loss_e.item() / 40, lf + loss_f.item() / 40
    sched.step()
    if epoch % 3 == 0:
        params = {k: p.detach() for k, p in net.named_parameters()}
        er, fr = (energies(params, rt) - et).square().mean().sqrt(), (forces(params, rt) - ft).square().mean().sqrt()
        print(f"epoch {epoch} energy mse {le:.2e} force mse {lf:.2e} | test rmse energy {er:.4f} (std {et.std():.3f}) force {fr:.4f} (std {ft.std():.3f})")
