# expect: optimizer-misconfigured
# also: lr-too-low
# about: Adam with eps=1 (a value read in a paper on another problem): updates all but vanish
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(0)
torch.set_num_threads(1)
d = load_digits()
X, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
p = torch.randperm(len(X))
Xt, yt, Xv, yv = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1.0)
for epoch in range(15):
    for b in torch.randperm(1400).split(32):
        loss = nn.functional.cross_entropy(model(Xt[b]), yt[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        o = model(Xv)
    print(f"epoch {epoch} loss {loss.item():.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
# cure: - optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1.0)
# cure: + optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
