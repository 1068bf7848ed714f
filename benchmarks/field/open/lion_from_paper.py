# expect: healthy
# about: Lion optimizer written as a torch Optimizer subclass, sign updates of constant size, decoupled decay, permutation-invariant set regression
import torch
from torch import nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["m"] = torch.zeros_like(p)
                update = st["m"].lerp(p.grad, 1 - b1).sign_()
                p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(update, alpha=group["lr"])
                st["m"].lerp_(p.grad, 1 - b2)


class DeepSets(nn.Module):
    def __init__(self, w=64):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(2, w), nn.GELU(), nn.Linear(w, w), nn.GELU())
        self.rho = nn.Sequential(nn.Linear(2 * w, w), nn.GELU(), nn.Linear(w, 1))

    def forward(self, x, mask):
        h = self.phi(x) * mask[..., None]
        mean = h.sum(1) / mask.sum(1, keepdim=True)
        peak = h.masked_fill(mask[..., None] == 0, -1e4).amax(1)
        return self.rho(torch.cat([mean, peak], -1)).squeeze(-1)


def clouds(n, k=20):
    """Target: the spread of the cloud plus the distance of its centre from the origin."""
    centre, scale = torch.randn(n, 1, 2), 0.3 + torch.rand(n, 1, 2)
    x = centre + scale * torch.randn(n, k, 2)
    mask = (torch.arange(k)[None] < torch.randint(8, k + 1, (n, 1))).float()
    m = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    var = ((x - m[:, None]) ** 2 * mask[..., None]).sum((1, 2)) / mask.sum(1)
    return x, mask, var.sqrt() + m.norm(dim=1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(50)
    train, test = clouds(5000), clouds(1000)
    net = DeepSets()
    opt = Lion(net.parameters(), lr=1e-3, weight_decay=0.1)
    total = 900
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, total)
    for step in range(1, total + 1):
        b = torch.randint(0, 5000, (64,))
        loss = nn.functional.mse_loss(net(train[0][b], train[1][b]), train[2][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 150 == 0:
            with torch.no_grad():
                err = nn.functional.mse_loss(net(test[0], test[1]), test[2]).item()
            print(f"step {step} train {loss.item():.5f} test {err:.5f} R2 {1 - err / test[2].var().item():.4f}")
