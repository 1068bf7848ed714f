# expect: lr-too-low
# also: undertrained
# about: small fully convolutional segmenter, Adam at 3e-6 as in a fine-tuning recipe
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def scene(n):
    yy, xx = torch.meshgrid(torch.arange(24.0), torch.arange(24.0), indexing="ij")
    c = torch.rand(n, 2, 2) * 16 + 4
    r = torch.rand(n, 2) * 2 + 2.5
    d = ((yy - c[:, :, 0, None, None]) ** 2 + (xx - c[:, :, 1, None, None]) ** 2).sqrt()
    mask = (d < r[:, :, None, None]).any(1).float()[:, None]
    return mask * 0.8 + 0.4 * torch.randn(n, 1, 24, 24), mask


class Segmenter(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, w, 3, padding=1), nn.ReLU(),
            nn.Conv2d(w, w, 3, padding=1), nn.ReLU(),
            nn.Conv2d(w, w, 3, padding=1), nn.ReLU(),
            nn.Conv2d(w, 1, 1),
        )

    def forward(self, x):
        return self.body(x)


x_val, y_val = scene(100)
net = Segmenter()
optimiser = torch.optim.Adam(net.parameters(), lr=3e-6)
bce = nn.BCEWithLogitsLoss()
for it in range(1, 401):
    x, y = scene(16)
    loss = bce(net(x), y)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if it % 50 == 0:
        with torch.no_grad():
            p = net(x_val)
            inter = ((p > 0) & (y_val > 0)).sum()
            union = ((p > 0) | (y_val > 0)).sum()
            print(f"iter {it} train {loss.item():.4f} val {bce(p, y_val).item():.4f} IoU {(inter / union.clamp(min=1)).item():.3f}")
# cure: - optimiser = torch.optim.Adam(net.parameters(), lr=3e-6)
# cure: + optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
