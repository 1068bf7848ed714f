# expect: loss-sign-flipped
# about: soft Dice coefficient used as the loss without one-minus
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def images(n):
    yy, xx = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    c = torch.rand(n, 2, 1, 1) * 8 + 4
    m = (((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2) < 14).float()[:, None]
    return m + 0.5 * torch.randn_like(m), m


class DiceLoss(nn.Module):
    def forward(self, logits, mask):
        p = torch.sigmoid(logits)
        inter = (p * mask).sum((1, 2, 3))
        dice = (2 * inter + 1) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + 1)
        return dice.mean()


net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
criterion = DiceLoss()
xv, mv = images(100)
for it in range(1, 241):
    x, m = images(16)
    loss = criterion(net(x), m)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 24 == 0:
        with torch.no_grad():
            p = net(xv) > 0
            iou = ((p & (mv > 0)).sum() / (p | (mv > 0)).sum()).item()
        print(f"it {it} loss {loss.item():.4f} IoU {iou:.3f}")
# cure: - return dice.mean()
# cure: + return 1 - dice.mean()
