# expect: healthy
# about: one trunk, three heads (class, position, size) with fixed loss weights on drawn squares
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(18)


def scene(n):
    yy, xx = torch.meshgrid(torch.arange(16.), torch.arange(16.), indexing="ij")
    c = 5 + 6 * torch.rand(n, 2, 1, 1)
    s = 2 + 2.5 * torch.rand(n, 1, 1)
    k = torch.randint(2, (n,))
    sq = torch.maximum((yy - c[:, 0]).abs(), (xx - c[:, 1]).abs())
    ci = ((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2).sqrt()
    dist = torch.where(k.view(-1, 1, 1) == 0, sq, ci)
    img = torch.sigmoid(3 * (s - dist)) + 0.1 * torch.randn(n, 16, 16)
    return img[:, None], k, c[:, :, 0, 0] / 8 - 1, s[:, 0, 0]


class MultiHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(384, 64), nn.ReLU())
        self.cls, self.pos, self.size = nn.Linear(64, 2), nn.Linear(64, 2), nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.cls(h), self.pos(h), self.size(h).squeeze(1)


WEIGHTS = {"cls": 1.0, "pos": 5.0, "size": 1.0}
train, val = scene(1600), scene(400)
model = MultiHead()
opt = torch.optim.RAdam(model.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.8)
for epoch in range(10):
    for b in torch.randperm(1600).split(40):
        img, k, c, s = (t[b] for t in train)
        ok, oc, os_ = model(img)
        parts = {"cls": F.cross_entropy(ok, k), "pos": F.smooth_l1_loss(oc, c), "size": F.mse_loss(os_, s)}
        loss = sum(WEIGHTS[n] * v for n, v in parts.items())
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    with torch.no_grad():
        ok, oc, os_ = model(val[0])
        print(f"epoch {epoch} total {loss.item():.4f}", {n: round(v.item(), 4) for n, v in parts.items()}, "acc %.3f pos px %.2f size err %.3f" % ((ok.argmax(1) == val[1]).float().mean().item(), 8 * (oc - val[2]).abs().mean().item(), (os_ - val[3]).abs().mean().item()))
