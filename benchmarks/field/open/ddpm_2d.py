# expect: healthy
# about: denoising diffusion on a 2-D spiral with EMA weights; the loss has a high floor
import copy
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
T = 50
betas = torch.linspace(1e-3, 0.2, T)
abar = torch.cumprod(1 - betas, 0)


def spiral(n):
    a = torch.rand(n).sqrt() * 3 * math.pi
    return torch.stack([a * a.cos(), a * a.sin()], 1) / 6 + 0.03 * torch.randn(n, 2)


class EpsNet(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.temb = nn.Embedding(T, 32)
        self.net = nn.Sequential(nn.Linear(34, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.temb(t)], 1))


model = EpsNet()
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
data = spiral(10000)
avg = None
for step in range(1, 1501):
    x0 = data[torch.randint(0, len(data), (256,))]
    t = torch.randint(0, T, (256,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = ((model(xt, t) - eps) ** 2).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    with torch.no_grad():
        for pe, p in zip(ema.parameters(), model.parameters()):
            pe.lerp_(p, 0.01)
    avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
    if step % 250 == 0:
        print(f"step {step} smoothed loss {avg:.4f}")
