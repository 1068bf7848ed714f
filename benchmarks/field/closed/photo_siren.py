# expect: healthy
# about: SIREN fitted full batch to a small grey photo, weights initialised by the sine rule, PSNR above 30 dB
import math
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_sample_image

torch.set_num_threads(1)
torch.manual_seed(0)
img = load_sample_image("china.jpg")[60:316:8, 160:416:8].mean(-1) / 255.0
side = img.shape[0]
axis = torch.linspace(-1, 1, side)
xy = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
target = torch.tensor(img, dtype=torch.float32).reshape(-1, 1) * 2 - 1


class Sine(nn.Module):
    def __init__(self, i, o, w0=30.0, first=False):
        super().__init__()
        self.lin, self.w0 = nn.Linear(i, o), w0
        bound = 1 / i if first else math.sqrt(6 / i) / w0
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


out = nn.Linear(64, 1)
nn.init.uniform_(out.weight, -math.sqrt(6 / 64) / 30, math.sqrt(6 / 64) / 30)
siren = nn.Sequential(Sine(2, 64, first=True), Sine(64, 64), Sine(64, 64), out)
opt = torch.optim.Adam(siren.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 400)
for it in range(400):
    opt.zero_grad()
    loss = ((siren(xy) - target) ** 2).mean()
    loss.backward()
    opt.step()
    sched.step()
    if it % 50 == 49:
        print(f"iter {it + 1} mse {loss.item():.6f} psnr {10 * math.log10(4 / loss.item()):.2f} dB")
