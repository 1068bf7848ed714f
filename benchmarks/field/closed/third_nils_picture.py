# expect: healthy
import torch, numpy as np
from torch import nn
from PIL import Image, ImageDraw

torch.manual_seed(0)
img = Image.new("L", (32, 32), 30); dr = ImageDraw.Draw(img)
dr.ellipse((4, 6, 20, 22), fill=220); dr.rectangle((16, 16, 28, 28), fill=120); dr.line((0, 31, 31, 0), fill=255, width=2)
t = torch.tensor(np.asarray(img), dtype=torch.float32).flatten()[:, None] / 255
g = torch.linspace(-1, 1, 32)
xy = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).reshape(-1, 2)
Bm = torch.randn(2, 64) * 3
feat = torch.cat([torch.sin(xy @ Bm), torch.cos(xy @ Bm)], 1)
net = nn.Sequential(nn.Linear(128, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), 2e-3)
sch = torch.optim.lr_scheduler.StepLR(opt, 400, .4)
for i in range(1000):
    loss = (net(feat) - t).square().mean()
    opt.zero_grad(); loss.backward(); opt.step(); sch.step()
    if i % 100 == 99: print(i + 1, "psnr", -10 * np.log10(loss.item()))
print("final psnr", -10 * np.log10(loss.item()), "constant image", -10 * np.log10(t.var().item()))
