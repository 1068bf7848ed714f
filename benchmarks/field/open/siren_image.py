# expect: healthy
# about: SIREN memorises one image; fitting the training pixels is the whole aim, there is nothing to validate on
import math

import torch
from sklearn.datasets import load_sample_image
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(2)
img = torch.tensor(load_sample_image("china.jpg")[100:388:6, 100:388:6].copy()).float() / 127.5 - 1
H, W, _ = img.shape
yy, xx = torch.meshgrid(torch.linspace(-1, 1, H), torch.linspace(-1, 1, W), indexing="ij")
coords, pixels = torch.stack([xx, yy], -1).view(-1, 2), img.view(-1, 3)


class Sine(nn.Module):
    def __init__(self, i, o, first=False, w0=30.0):
        super().__init__()
        self.w0 = w0
        self.lin = nn.Linear(i, o)
        bound = 1 / i if first else math.sqrt(6 / i) / w0
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


siren = nn.Sequential(Sine(2, 64, True), Sine(64, 64), Sine(64, 64), nn.Linear(64, 3))
with torch.no_grad():
    b = math.sqrt(6 / 64) / 30
    siren[-1].weight.uniform_(-b, b)
optimizer = torch.optim.Adam(siren.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 500, eta_min=1e-5)
for step in range(1, 501):
    loss = (siren(coords) - pixels).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    sched.step()
    if step % 50 == 0:
        print(f"step {step} mse {loss.item():.6f} psnr {10 * math.log10(4 / loss.item()):.2f} dB")
