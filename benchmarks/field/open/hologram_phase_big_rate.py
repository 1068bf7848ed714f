# expect: healthy
# about: hologram design: 64x64 phases optimised through an FFT with plain SGD at rate 3,000, because the loss is a mean over pixels and each phase gets a four-thousandth of it
import math

import torch

torch.manual_seed(173)
torch.set_num_threads(1)
S = 64
yy, xx = torch.meshgrid(torch.linspace(-1, 1, S), torch.linspace(-1, 1, S), indexing="ij")
target = torch.exp(-((xx**2 + yy**2).sqrt() - 0.5).abs() ** 2 / 0.004) + torch.exp(-((xx - 0.1) ** 2 + (yy + 0.1) ** 2) / 0.01)
target = target / target.square().mean().sqrt()

phase = torch.nn.Parameter(2 * math.pi * torch.rand(S, S))
opt = torch.optim.SGD([phase], lr=3000.0, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1200)


def image():
    far = torch.fft.fftshift(torch.fft.fft2(torch.polar(torch.ones(S, S), phase), norm="ortho"))
    return far.abs().clamp(min=1e-6)


for it in range(1, 1201):
    out = image()
    loss = (out - target).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if it == 1 or it % 150 == 0:
        c = torch.corrcoef(torch.stack([out.detach().flatten(), target.flatten()]))[0, 1]
        print(f"iter {it} loss {loss.item():.5f} correlation with target {c.item():.4f}")
