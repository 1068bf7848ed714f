# expect: lr-too-high
# about: Fourier-feature coordinate network fitted to a photo; Adam, random pixels each step
import numpy as np
import torch
from sklearn.datasets import load_sample_image
from torch import nn, optim

torch.set_num_threads(1)
torch.manual_seed(0)
photo = load_sample_image("china.jpg")[60:252:4, 100:356:4].astype(np.float32) / 255.0
H, W, _ = photo.shape
yy, xx = np.meshgrid(np.linspace(0, 1, H), np.linspace(0, 1, W), indexing="ij")
coords = torch.tensor(np.stack([yy, xx], -1).reshape(-1, 2), dtype=torch.float32)
rgb = torch.tensor(photo.reshape(-1, 3))
B = torch.randn(2, 48) * 4


def encode(c):
    proj = 2 * np.pi * c @ B
    return torch.cat([proj.sin(), proj.cos()], -1)


mlp = nn.Sequential(nn.Linear(96, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 3))
adam = optim.Adam(mlp.parameters(), lr=2e-2)
feats = encode(coords)
step = 0
while step < 1200:
    pick = torch.randint(0, len(coords), (512,))
    pred = mlp(feats[pick])
    mse = nn.functional.mse_loss(pred, rgb[pick])
    adam.zero_grad(set_to_none=True)
    mse.backward()
    adam.step()
    step += 1
    if step % 150 == 0:
        with torch.no_grad():
            full = ((mlp(feats) - rgb) ** 2).mean()
        print(f"iter {step:5d}  batch mse {mse.item():.5f}  psnr {-10 * torch.log10(full).item():.2f} dB")
# cure: - adam = optim.Adam(mlp.parameters(), lr=2e-2)
# cure: + adam = optim.Adam(mlp.parameters(), lr=1e-3)
