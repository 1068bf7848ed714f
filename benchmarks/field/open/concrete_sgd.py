# expect: lr-too-high
# about: scaled regression with SGD and momentum at a rate that blows up within a few steps
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
torch.set_num_threads(1)
params = {"lr": 0.3, "momentum": 0.9, "hidden": 64, "epochs": 15, "bs": 32}
X = np.random.randn(1200, 8)
y = X[:, 0] * X[:, 1] + np.sin(X[:, 2] * 2) + 0.5 * X[:, 3] + 0.1 * np.random.randn(1200)
y = (y - y.mean()) / y.std()
X, y = torch.tensor(X).float(), torch.tensor(y).float().view(-1, 1)
net = nn.Sequential(nn.Linear(8, params["hidden"]), nn.ReLU(), nn.Linear(params["hidden"], params["hidden"]), nn.ReLU(), nn.Linear(params["hidden"], 1))
opt = torch.optim.SGD(net.parameters(), lr=params["lr"], momentum=params["momentum"])
crit = nn.MSELoss()
for epoch in range(params["epochs"]):
    net.train()
    ep = 0
    for b in torch.randperm(1000).split(params["bs"]):
        opt.zero_grad()
        loss = crit(net(X[b]), y[b])
        loss.backward()
        opt.step()
        ep += loss.item() * len(b) / 1000
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} train mse {ep:.4f} val mse {crit(net(X[1000:]), y[1000:]).item():.4f}")
# cure: - params = {"lr": 0.3, "momentum": 0.9, "hidden": 64, "epochs": 15, "bs": 32}
# cure: + params = {"lr": 0.01, "momentum": 0.9, "hidden": 64, "epochs": 15, "bs": 32}
