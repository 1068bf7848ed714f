# expect: broadcast-loss
import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import make_regression

torch.manual_seed(0)
X, y = make_regression(1500, 12, n_informative=8, noise=5.0, random_state=4)
X = torch.tensor(X, dtype=torch.float32); y = torch.tensor(y, dtype=torch.float32)
y = (y - y[:1100].mean()) / y[:1100].std()
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(1500):
    ix = torch.randint(0, 1100, (64,))
    pred = net(X[ix])
    loss = ((pred - y[ix]) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 250 == 249:
        with torch.no_grad():
            e = ((net(X[1100:]).flatten() - y[1100:]) ** 2).mean() / y[1100:].var()
        print(step, "loss", loss.item(), "val R2", 1 - e.item())
