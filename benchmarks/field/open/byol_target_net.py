# expect: healthy
# about: BYOL: the target network has no gradient and follows by moving average; stop-gradient on purpose
import copy

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


class BYOL(nn.Module):
    def __init__(self, dim=64, tau=0.99):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Linear(256, dim))
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.predictor = nn.Sequential(nn.Linear(dim, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, dim))
        self.tau = tau

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return 4 - 2 * F.cosine_similarity(pa, tb).mean() - 2 * F.cosine_similarity(pb, ta).mean()

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.mul_(self.tau).add_(o, alpha=1 - self.tau)


def noisy(x):
    keep = (torch.rand_like(x) > 0.15).float()
    return x * keep + 0.1 * torch.randn_like(x)


torch.manual_seed(8)
X, y = load_digits(return_X_y=True)
X = torch.tensor((X / 16).astype(np.float32))
model = BYOL()
optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
model.train()
for epoch in range(30):
    total = 0.0
    for idx in torch.randperm(len(X))[:1792].view(-1, 128):
        loss = model(noisy(X[idx]), noisy(X[idx]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.update_target()
        total += loss.item()
    if epoch % 3 == 2:
        print(f"[{epoch + 1}] byol loss {total / 14:.4f}")
model.eval()
with torch.no_grad():
    z = F.normalize(model.online(X), dim=1).numpy()
print("kNN on representation:", KNeighborsClassifier(5).fit(z[:1300], y[:1300]).score(z[1300:], y[1300:]))
