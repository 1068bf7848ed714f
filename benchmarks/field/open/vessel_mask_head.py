# expect: double-softmax
# about: vessel segmentation, encoder-decoder with a squashed last layer and a stable binary loss
import torch
import torch.nn as nn

torch.manual_seed(26)
torch.set_num_threads(1)


def vessels(n, s=24):
    g = torch.linspace(-1, 1, s)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    m = torch.zeros(n, s, s)
    for _ in range(2):
        a, b, c = (torch.randn(n, 1, 1) * k for k in (0.5, 0.6, 0.4))
        m = torch.maximum(m, ((yy - a * xx - b - c * xx**2).abs() < 0.09).float())
    return (0.7 * m + 0.35 * torch.randn(n, s, s)).unsqueeze(1), m.unsqueeze(1)


class Seg(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.d1 = nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.ReLU())
        self.d2 = nn.Sequential(nn.Conv2d(c, 2 * c, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.last = nn.Sequential(nn.Conv2d(2 * c, 1, 3, padding=1), nn.Sigmoid())

    def forward(self, x):
        a = self.d1(x)
        return self.last(torch.cat([a, torch.relu(self.up(self.d2(a)))], 1))


def dice(prob, m):
    p = (prob > 0.5).float()
    return (2 * (p * m).sum() / (p.sum() + m.sum()).clamp(min=1)).item()


seg = Seg()
opt = torch.optim.Adam(seg.parameters(), lr=2e-3)
loss_fn = nn.BCEWithLogitsLoss()
X, M = vessels(320)
Xv, Mv = vessels(100)
for ep in range(12):
    for b in torch.randperm(320).split(16):
        loss = loss_fn(seg(X[b]), M[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = seg(Xv)
    print(f"epoch {ep} loss {loss.item():.4f} val loss {loss_fn(out, Mv).item():.4f} dice {dice(out, Mv):.3f}")
# cure: - loss_fn = nn.BCEWithLogitsLoss()
# cure: + loss_fn = nn.BCELoss()
