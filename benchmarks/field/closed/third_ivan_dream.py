# expect: healthy
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))

    def forward(self, x):
        return self.net(x)


class Prototypes:
    """One image a class, found by descent on the pixels."""

    def __init__(self, model, n=10):
        self.model = model
        self.pix = torch.full((n, 1, 8, 8), -1.0) + 0.1 * torch.randn(n, 1, 8, 8)
        self.pix.requires_grad_(True)
        self.opt = torch.optim.Adam([self.pix], lr=0.03)
        self.labels = torch.arange(n)

    def run(self, steps):
        for i in range(steps):
            img = torch.sigmoid(self.pix)
            shift = torch.roll(img, tuple(torch.randint(-1, 2, (2,)).tolist()), (2, 3))
            tv = (img[:, :, 1:] - img[:, :, :-1]).abs().mean() + (img[:, :, :, 1:] - img[:, :, :, :-1]).abs().mean()
            loss = F.cross_entropy(self.model(shift), self.labels) + 0.5 * tv
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if i % 100 == 0:
                print(f"pixels {i}: loss {loss.item():.4f}")
        return torch.sigmoid(self.pix).detach()


if __name__ == "__main__":
    torch.manual_seed(6)
    d = load_digits()
    x, y = torch.tensor(d.images).float()[:, None] / 16, torch.tensor(d.target)
    p = torch.randperm(len(x))
    model, judge = Classifier(), Classifier()
    for m in (model, judge):
        opt = torch.optim.Adam(m.parameters(), lr=2e-3)
        for ep in range(5):
            for xb, yb in DataLoader(TensorDataset(x[p[:1400]], y[p[:1400]]), batch_size=64, shuffle=True):
                opt.zero_grad()
                loss = F.cross_entropy(m(xb), yb)
                loss.backward()
                opt.step()
        print("test acc", (m(x[p[1400:]]).argmax(1) == y[p[1400:]]).float().mean().item())
    for q in model.parameters():
        q.requires_grad_(False)
    img = Prototypes(model).run(500)
    with torch.no_grad():
        print("agreement of the other classifier on the found images", (judge(img).argmax(1) == torch.arange(10)).float().mean().item())
