# expect: healthy
# about: ArcFace with margin and scale 16: loss starts near 12 and stays above plain cross entropy because of the margin
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


class ArcMargin(nn.Module):
    def __init__(self, dim, classes, s=16.0, m=0.3):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.s, self.m = s, m

    def forward(self, feat, label=None):
        cos = F.linear(F.normalize(feat), F.normalize(self.weight)).clamp(-1 + 1e-6, 1 - 1e-6)
        if label is None:
            return self.s * cos
        theta = torch.acos(cos)
        target = torch.cos((theta + self.m).clamp(max=math.pi))
        hot = F.one_hot(label, cos.shape[1]).bool()
        return self.s * torch.where(hot, target, cos)


def main():
    torch.manual_seed(9)
    X, y = load_digits(return_X_y=True)
    X, y = torch.tensor(X / 16, dtype=torch.float32), torch.tensor(y)
    p = torch.randperm(len(X))
    train = DataLoader(TensorDataset(X[p[:1400]], y[p[:1400]]), 64, shuffle=True)
    xv, yv = X[p[1400:]], y[p[1400:]]
    body = nn.Sequential(nn.Linear(64, 128), nn.PReLU(), nn.Linear(128, 32))
    margin = ArcMargin(32, 10)
    opt = torch.optim.SGD([{"params": body.parameters()}, {"params": margin.parameters()}], lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [10, 13], 0.1)
    for epoch in range(15):
        total = 0
        for xb, yb in train:
            loss = F.cross_entropy(margin(body(xb), yb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        sched.step()
        with torch.no_grad():
            logits = margin(body(xv))
        print(f"epoch {epoch} arc loss {total / len(train):.3f} val ce {F.cross_entropy(logits, yv):.3f} acc {(logits.argmax(1) == yv).float().mean():.4f}")


main()
