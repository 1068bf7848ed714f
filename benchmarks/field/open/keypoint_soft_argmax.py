# expect: detached-graph
# about: heat-map pose network trained on the pixel coordinates of its peak
import torch
import torch.nn as nn

torch.manual_seed(14)
torch.set_num_threads(1)
S = 20
ys, xs = torch.meshgrid(torch.arange(S).float(), torch.arange(S).float(), indexing="ij")


def frames(n):
    pos = 3 + 13 * torch.rand(n, 2)
    d2 = (ys - pos[:, 0, None, None]) ** 2 + (xs - pos[:, 1, None, None]) ** 2
    distract = 3 + 13 * torch.rand(n, 2)
    e2 = (ys - distract[:, 0, None, None]).abs() + (xs - distract[:, 1, None, None]).abs()
    img = torch.exp(-d2 / 4) + 0.8 * (e2 < 2).float() + 0.15 * torch.randn(n, S, S)
    return img.unsqueeze(1), pos


class PoseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv2d(16, 16, 5, padding=2), nn.ReLU(), nn.Conv2d(16, 1, 3, padding=1))
        self.refine = nn.Linear(2, 2)
        nn.init.eye_(self.refine.weight)

    def peak(self, heat):
        p = (4 * heat).flatten(1).softmax(1)
        y, x = (p * ys.flatten()).sum(1), (p * xs.flatten()).sum(1)
        return torch.stack([y, x], 1).round()

    def forward(self, img):
        c = self.peak(self.body(img))
        return self.refine(c / S) * S


net = PoseNet()
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
vi, vp = frames(200)
for it in range(1, 401):
    img, pos = frames(32)
    loss = nn.functional.smooth_l1_loss(net(img), pos)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            err = (net(vi) - vp).norm(dim=1).mean().item()
        print(f"it {it} loss {loss.item():.3f} val error {err:.2f} px")
# cure: - return torch.stack([y, x], 1).round()
# cure: + return torch.stack([y, x], 1)
