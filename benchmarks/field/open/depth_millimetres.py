# expect: unscaled-targets
# about: monocular depth toy with a small encoder-decoder, depth map as the camera stores it
import torch
import torch.nn as nn

torch.manual_seed(51)
torch.set_num_threads(1)
yy, xx = torch.meshgrid(torch.linspace(-1, 1, 16), torch.linspace(-1, 1, 16), indexing="ij")
UNIT = 1.0


def rooms(n):
    tilt, near = torch.randn(n, 2, 1, 1) * 400, 2000 + 3000 * torch.rand(n, 1, 1)
    depth = near + tilt[:, 0] * xx + tilt[:, 1] * yy
    c = torch.rand(n, 2, 1, 1) * 1.2 - 0.6
    box = ((yy - c[:, 0]).abs() < 0.3) & ((xx - c[:, 1]).abs() < 0.3)
    depth = torch.where(box, depth * 0.6, depth)
    shade = 3000 / depth + 0.05 * torch.randn(n, 16, 16)
    return torch.stack([shade - 1, xx.expand(n, -1, -1), yy.expand(n, -1, -1)], 1), depth.unsqueeze(1) / UNIT


net = nn.Sequential(
    nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 1, 1), nn.ReLU(),
    nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 1, 3, 1, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
vi, vd = rooms(200)
for it in range(1, 401):
    img, depth = rooms(16)
    loss = nn.functional.l1_loss(net(img), depth)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            rel = ((net(vi) - vd).abs() / vd).mean().item()
        print(f"iter {it} l1 {loss.item():.3f} val relative error {rel:.3f}")
# cure: - UNIT = 1.0
# cure: + UNIT = 1000.0
