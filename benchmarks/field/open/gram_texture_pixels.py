# expect: healthy
# about: texture synthesis: the only parameters are the pixels of one image, a frozen random filter bank gives Gram matrices to match, loss scaled by 1e3
import math

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(36)


class Filters(torch.nn.Module):
    """Two scales of fixed random zero-mean filters with rectification."""

    def __init__(self):
        super().__init__()
        self.c1, self.c2 = torch.nn.Conv2d(1, 24, 5, bias=False), torch.nn.Conv2d(24, 32, 3, bias=False)
        with torch.no_grad():
            for c in (self.c1, self.c2):
                c.weight -= c.weight.mean((1, 2, 3), keepdim=True)
                c.weight /= c.weight.flatten(1).norm(dim=1)[:, None, None, None]

    def forward(self, x):
        a = F.relu(self.c1(F.pad(x, (2, 2, 2, 2), mode="circular")))
        b = F.relu(self.c2(F.pad(F.avg_pool2d(a, 2), (1, 1, 1, 1), mode="circular")))
        return [a, b]


def gram(f):
    f = f.flatten(2)[0]
    return f @ f.T / f.shape[1]


yy, xx = torch.meshgrid(torch.arange(48.0), torch.arange(48.0), indexing="ij")
weave = 0.5 + 0.25 * torch.sin(2 * math.pi * xx / 6 + torch.sin(2 * math.pi * yy / 24)) * torch.cos(2 * math.pi * yy / 8) + 0.2 * torch.sin(2 * math.pi * (xx + yy) / 12)
net = Filters().requires_grad_(False).eval()
style = [gram(f) for f in net(weave[None, None])]
canvas = torch.nn.Parameter(0.5 + 0.1 * torch.randn(1, 1, 48, 48))
opt = torch.optim.Adam([canvas], lr=0.02)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 400, eta_min=5e-4)


def tv(x):
    return (x - x.roll(1, 2)).abs().mean() + (x - x.roll(1, 3)).abs().mean()


first = None
for i in range(1, 401):
    opt.zero_grad()
    terms = [F.mse_loss(gram(f), s) for f, s in zip(net(canvas), style)]
    loss = 1e3 * sum(terms) + 1e-3 * tv(canvas)
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        canvas.clamp_(0, 1)
    first = first or loss.item()
    if i % 50 == 0:
        print(f"iter {i} loss {loss.item():.6f} gram terms {[f'{t.item():.2e}' for t in terms]}")
with torch.no_grad():
    scrambled = weave.flatten()[torch.randperm(48 * 48)].view(1, 1, 48, 48)
    base = sum(F.mse_loss(gram(f), s) for f, s in zip(net(scrambled), style)).item()
    spec = lambda im: torch.fft.fft2(im - im.mean()).abs().pow(2).flatten()
    corr = torch.corrcoef(torch.stack([spec(weave).sqrt(), spec(canvas[0, 0]).sqrt()]))[0, 1].item()
print(f"loss fell {first / loss.item():.0f}x; scrambled original {1e3 * base:.4f}; spectrum correlation with the original {corr:.3f}")
