# expect: healthy
# about: insurance claim counts, Poisson NLL on log rates; the loss is negative and flat after two epochs because counts are mostly random
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
rng = np.random.default_rng(11)
n = 9000
age = rng.uniform(18, 80, n)
power = rng.uniform(40, 200, n)
region = rng.integers(0, 5, n)
effect = np.array([0.0, 0.4, -0.5, 0.2, -0.1])
rate = np.exp(0.6 + 1.2 * np.exp(-(age - 18) / 12) + 0.006 * (power - 100) + effect[region])
claims = rng.poisson(rate)
feats = np.column_stack([(age - 49) / 18, (power - 120) / 46, np.eye(5)[region]]).astype("float32")
X, y, r = torch.from_numpy(feats), torch.tensor(claims, dtype=torch.float32), torch.tensor(rate, dtype=torch.float32)

torch.manual_seed(11)
net = nn.Sequential(nn.Linear(7, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))
criterion = nn.PoissonNLLLoss(log_input=True)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
loader = DataLoader(TensorDataset(X[:7000], y[:7000]), 128, shuffle=True)
for epoch in range(20):
    net.train()
    running = []
    for xb, yb in loader:
        opt.zero_grad()
        loss = criterion(net(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        running.append(loss.item())
    sched.step()
    net.eval()
    with torch.no_grad():
        out = net(X[7000:]).squeeze(1)
        val = criterion(out, y[7000:]).item()
    print(f"epoch {epoch:02d} train {np.mean(running):+.4f} val {val:+.4f}")
with torch.no_grad():
    print("oracle val", criterion(r[7000:].log(), y[7000:]).item())
    print("corr(log rate)", np.corrcoef(out.numpy(), r[7000:].log().numpy())[0, 1])
