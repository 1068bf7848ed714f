# expect: leaked-validation
# about: oversampling before the split puts copies of training rows into validation
import numpy as np
import torch
from torch import nn
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
torch.manual_seed(0)
torch.set_num_threads(1)
X = rng.normal(size=(400, 30)).astype("float32")
y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=400) * 1.2 > 0).astype("int64")


def oversample(X, y, times):
    idx = np.repeat(np.arange(len(X)), times)
    return X[idx], y[idx]


def prepare():
    Xo, yo = oversample(X, y, 4)
    return train_test_split(Xo, yo, test_size=0.25, random_state=0)


Xt, Xv, yt, yv = [torch.tensor(a) for a in prepare()]
model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(20):
    model.train()
    for b in torch.randperm(len(Xt)).split(32):
        loss = nn.functional.cross_entropy(model(Xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        o = model(Xv)
    print(f"epoch {epoch} train {loss.item():.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - Xo, yo = oversample(X, y, 4)
# cure: + Xo, yo = X, y
