# expect: healthy
# about: Barlow Twins on digit images: a loss of several units that never nears zero, no labels; a linear probe judges it
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
d = load_digits()
images = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16
labels = d.target


def augment(x):
    dx, dy = torch.randint(-1, 2, (2,)).tolist()
    x = torch.roll(x, (dx, dy), (2, 3))
    x = x * (0.7 + 0.6 * torch.rand(len(x), 1, 1, 1))
    return x + 0.1 * torch.randn_like(x)


class Twin(nn.Module):
    def __init__(self, dim=48):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        )
        self.projector = nn.Sequential(nn.Linear(128, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, dim))
        self.bn = nn.BatchNorm1d(dim, affine=False)

    def forward(self, x):
        return self.bn(self.projector(self.backbone(x)))


def barlow(za, zb, lambd=0.02):
    c = za.T @ zb / len(za)
    on = (c.diagonal() - 1).pow(2).sum()
    off = c.pow(2).sum() - c.diagonal().pow(2).sum()
    return on + lambd * off


def probe(model):
    model.eval()
    with torch.no_grad():
        h = model.backbone(images).numpy()
    model.train()
    clf = LogisticRegression(max_iter=300, C=0.5).fit(h[:1200], labels[:1200])
    return clf.score(h[1200:], labels[1200:])


model = Twin()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
print("probe before", round(probe(model), 3))
for epoch in range(1, 26):
    total = 0.0
    for idx in torch.randperm(1200).split(120):
        x = images[idx]
        loss = barlow(model(augment(x)), model(augment(x)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    if epoch % 5 == 0:
        print(f"epoch {epoch} loss {total / 10:.3f}")
print("probe after", round(probe(model), 3))
