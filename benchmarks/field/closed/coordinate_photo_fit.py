# expect: undertrained
# about: coordinate network with Fourier features fitted to a photo, ended after three passes
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_sample_image
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
img = load_sample_image("flower.jpg")[100:356:4, 200:456:4].astype(np.float32) / 255
H, W, _ = img.shape
yy, xx = np.mgrid[0:H, 0:W]
coords = torch.tensor(np.stack([yy / H, xx / W], -1).reshape(-1, 2), dtype=torch.float32) * 2 - 1
colors = torch.tensor(img.reshape(-1, 3))
B = torch.randn(2, 48) * 4
features = torch.cat([torch.sin(coords @ B), torch.cos(coords @ B)], 1)
net = nn.Sequential(nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 3), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=5e-4)
loader = DataLoader(TensorDataset(features, colors), batch_size=64, shuffle=True)
num_epochs = 3
for epoch in range(num_epochs):
    s = 0.0
    for k, (f, c) in enumerate(loader):
        loss = nn.functional.mse_loss(net(f), c)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
        if k % 16 == 15:
            print(f"epoch {epoch} it {k + 1} mse {s / 16:.5f}")
            s = 0.0
with torch.no_grad():
    mse = nn.functional.mse_loss(net(features), colors)
print("PSNR %.2f dB" % (-10 * torch.log10(mse)).item())
# cure: - num_epochs = 3
# cure: + num_epochs = 30
