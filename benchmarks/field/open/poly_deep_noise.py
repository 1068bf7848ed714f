# expect: overfitting
# about: 40 noisy points of a smooth curve, 3x128 net, Adam for 1500 full-batch steps
import numpy as np
import torch

rng = np.random.default_rng(4)
torch.manual_seed(4)
torch.set_num_threads(1)
x = rng.uniform(-2, 2, 40)
y = np.sin(x) + 0.4 * rng.standard_normal(40)
xv = np.linspace(-2, 2, 200)
yv = np.sin(xv) + 0.4 * rng.standard_normal(200)
T = lambda a: torch.tensor(a, dtype=torch.float32)[:, None]
x, y, xv, yv = T(x), T(y), T(xv), T(yv)
feat = lambda a: torch.cat([torch.sin(k * a) for k in range(1, 13)] + [torch.cos(k * a) for k in range(1, 13)], 1)
model = torch.nn.Sequential(torch.nn.Linear(24, 128), torch.nn.SiLU(), torch.nn.Linear(128, 128), torch.nn.SiLU(), torch.nn.Linear(128, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
n_steps = 1500
for s in range(n_steps):
    model.zero_grad()
    loss = ((model(feat(x)) - y) ** 2).mean()
    loss.backward()
    opt.step()
    if (s + 1) % (n_steps // 10) == 0:
        with torch.no_grad():
            val = ((model(feat(xv)) - yv) ** 2).mean()
        print(s + 1, "train", f"{loss.item():.4f}", "val", f"{val.item():.4f}")
# cure: - n_steps = 1500
# cure: + n_steps = 30
