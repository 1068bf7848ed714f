# expect: noisy-labels
# also: overfitting
# about: seven in ten training answers come from annotators who clicked at random
import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

rng = np.random.default_rng(1)
torch.manual_seed(1)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X = X / 16 - 0.3
perm = rng.permutation(len(X))
X, y = X[perm], y[perm]
worker = rng.integers(0, 10, len(X))
careless = worker >= 3
answers = np.where(careless, rng.integers(0, 10, len(X)), y)
annotations = answers.copy()
Xt, yt = torch.tensor(X[:1200]).float(), torch.tensor(annotations[:1200])
Xv, yv = torch.tensor(X[1200:]).float(), torch.tensor(y[1200:])
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(40):
    for i in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = loss_fn(model(Xt[i]), yt[i])
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        with torch.no_grad():
            o = model(Xv)
            print(f"epoch {epoch + 1} train loss {loss_fn(model(Xt), yt).item():.3f} val loss {loss_fn(o, yv).item():.3f} val acc {(o.argmax(1) == yv).float().mean().item():.3f}")
# cure: - annotations = answers.copy()
# cure: + annotations = y.copy()
