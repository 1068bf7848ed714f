# expect: healthy
# about: 3 classes at 90/7/3 %, handled by a WeightedRandomSampler; balanced accuracy is fine
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(14)
torch.set_num_threads(1)
centers = torch.randn(3, 8) * 1.3


def draw(n):
    y = torch.multinomial(torch.tensor([0.90, 0.07, 0.03]), n, replacement=True)
    return centers[y] + torch.randn(n, 8), y


Xt, yt = draw(4000)
Xv, yv = draw(1500)
class_w = 1.0 / torch.bincount(yt).float()
sampler = WeightedRandomSampler(class_w[yt], num_samples=len(yt), replacement=True)
loader = DataLoader(TensorDataset(Xt, yt), batch_size=64, sampler=sampler)
clf = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(clf.parameters(), lr=1e-3)
lossf = nn.CrossEntropyLoss()
for epoch in range(10):
    clf.train()
    tot = 0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = lossf(clf(xb), yb)
        loss.backward()
        optimizer.step()
        tot += loss.item()
    clf.eval()
    with torch.no_grad():
        o = clf(Xv)
        rec = [(o.argmax(1)[yv == c] == c).float().mean().item() for c in range(3)]
    print(f"epoch {epoch} train {tot/len(loader):.4f} val {lossf(o, yv):.4f} recalls {[round(r, 3) for r in rec]}")
