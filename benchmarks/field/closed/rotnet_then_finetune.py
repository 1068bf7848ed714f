# expect: healthy
# about: rotation pretext task, then the trained trunk is frozen on purpose and only the new head learns the digits
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.set_num_threads(1)
torch.manual_seed(2)
d = load_digits()
X, Y = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1, torch.tensor(d.target)
p = torch.randperm(len(X))
X, Y = X[p], Y[p]
trunk = nn.Sequential(nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())


def fit(head, opt, sched, epochs, make, tag):
    for e in range(epochs):
        for b in torch.randperm(1300).split(50):
            x, y = make(b)
            loss = F.cross_entropy(head(trunk(x)), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        with torch.no_grad():
            x, y = make(torch.arange(1300, len(X)))
            o = head(trunk(x))
        print(f"{tag} epoch {e} train {loss.item():.3f} val {F.cross_entropy(o, y).item():.3f} acc {(o.argmax(1) == y).float().mean().item():.3f}")


def rotated(b):
    k = torch.randint(4, (len(b),))
    return torch.stack([torch.rot90(X[i], int(r), (1, 2)) for i, r in zip(b, k)]), k


rot_head = nn.Linear(512, 4)
opt = torch.optim.Adam([*trunk.parameters(), *rot_head.parameters()], lr=2e-3)
fit(rot_head, opt, torch.optim.lr_scheduler.CosineAnnealingLR(opt, 6), 6, rotated, "pretext")

trunk.requires_grad_(False)
cls_head = nn.Linear(512, 10)
opt = torch.optim.Adam(cls_head.parameters(), lr=3e-3)
fit(cls_head, opt, torch.optim.lr_scheduler.CosineAnnealingLR(opt, 6), 6, lambda b: (X[b], Y[b]), "classify")
