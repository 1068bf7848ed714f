# expect: healthy
# about: affine registration of two scans by grid_sample: six numbers and a gain are the parameters, coarse to fine, so the loss jumps when the resolution changes
import math

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(61)


def scene(p):
    out = torch.zeros(p.shape[:-1])
    g = torch.Generator().manual_seed(8)
    for _ in range(25):
        c, w, h = torch.rand(2, generator=g) * 1.6 - 0.8, 0.06 + 0.15 * torch.rand(1, generator=g), torch.rand(1, generator=g)
        out = out + h * torch.exp(-((p - c) ** 2).sum(-1) / (2 * w**2))
    return out


def grid(n):
    a = (torch.arange(n) + 0.5) / n * 2 - 1
    y, x = torch.meshgrid(a, a, indexing="ij")
    return torch.stack([x, y], -1)


ang = 0.22
M = torch.tensor([[1.08 * math.cos(ang), -math.sin(ang), 0.13], [math.sin(ang), 0.95 * math.cos(ang), -0.1]])
full = grid(128)
fixed = scene(full @ M[:, :2].T + M[:, 2])[None, None] * 1.3 + 0.02 * torch.randn(1, 1, 128, 128)
moving = scene(full)[None, None] + 0.02 * torch.randn(1, 1, 128, 128)


def smooth(img, n):
    return F.adaptive_avg_pool2d(img, n)


theta = torch.nn.Parameter(torch.tensor([[[1.0, 0, 0], [0, 1.0, 0]]]))
gain = torch.nn.Parameter(torch.tensor(1.0))
for size, steps, lr in [(16, 150, 0.02), (32, 120, 0.01), (64, 100, 0.004), (128, 60, 0.002)]:
    f, m = smooth(fixed, size), smooth(moving, size)
    inner = torch.zeros_like(f)
    inner[..., size // 8:-size // 8, size // 8:-size // 8] = 1
    opt = torch.optim.Adam([theta, gain], lr=lr)
    for i in range(steps):
        warped = F.grid_sample(m, F.affine_grid(theta, f.shape, align_corners=False), align_corners=False)
        loss = ((gain * warped - f) ** 2 * inner).sum() / inner.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i == steps // 2:
            for g in opt.param_groups:
                g["lr"] *= 0.2
    err = (theta[0] - M).detach()
    shift = ((full @ err[:, :2].T + err[:, 2]).norm(dim=-1).mean() * 64).item()
    print(f"level {size} loss {loss.item():.6f} gain {gain.item():.4f} mean misplacement {shift:.3f} of 128 pixels")
start = torch.tensor([[1.0, 0, 0], [0, 1.0, 0]]) - M
print(f"at the start {((full @ start[:, :2].T + start[:, 2]).norm(dim=-1).mean() * 64).item():.2f} pixels; true gain 1.3, noise in the loss about {0.02 ** 2 * (1 + 1.3 ** 2 * 0.5):.6f}")
