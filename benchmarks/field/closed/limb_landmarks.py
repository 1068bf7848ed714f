# expect: healthy
# about: heatmap regression of two keypoints, MSE tiny in absolute terms, pixel error decoded by argmax
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(9)
S = 16
yy, xx = torch.meshgrid(torch.arange(float(S)), torch.arange(float(S)), indexing="ij")


def limbs(n):
    p = torch.randint(2, S - 2, (n, 2, 2)).float()
    blob = lambda q, s: torch.exp(-((yy - q[:, 0, None, None]) ** 2 + (xx - q[:, 1, None, None]) ** 2) / (2 * s * s))
    img = blob(p[:, 0], 1.0) - blob(p[:, 1], 1.0) + 0.15 * torch.randn(n, S, S)
    return img[:, None], torch.stack([blob(p[:, k], 1.5) for k in range(2)], 1), p


class HeatNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(1, 16, 5, padding=2), nn.Conv2d(16, 16, 5, padding=2), nn.Conv2d(16, 2, 1)

    def forward(self, x):
        return self.c(F.relu(self.b(F.relu(self.a(x)))))


img, heat, pts = limbs(700)
vi, vh, vp = limbs(200)
model = HeatNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=7 * 35)
for epoch in range(7):
    for b in torch.randperm(700).split(20):
        optimizer.zero_grad()
        loss = F.mse_loss(model(img[b]), heat[b])
        loss.backward()
        optimizer.step()
        sched.step()
    with torch.no_grad():
        o = model(vi)
        idx = o.flatten(2).argmax(2)
        err = (torch.stack([idx // S, idx % S], -1).float() - vp).norm(dim=-1).mean().item()
    print(f"epoch {epoch} mse {loss.item():.5f} val {F.mse_loss(o, vh).item():.5f} mean pixel error {err:.2f}")
