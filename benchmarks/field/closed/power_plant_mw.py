# expect: healthy
# about: power plant output in megawatt left unscaled; Adam with a decent rate still reaches R2 above 0.9 and loss in raw units looks big
import numpy as np
import torch
import torch.nn as nn

torch.set_num_threads(1)
rng = np.random.default_rng(2)
torch.manual_seed(2)
n = 3000
at, v, ap, rh = rng.uniform(2, 37, n), rng.uniform(25, 81, n), rng.normal(1013, 6, n), rng.uniform(25, 100, n)
mw = 60 - 1.4 * (at - 20) - 0.25 * (v - 54) + 0.05 * (ap - 1013) + 3 * np.sin(at / 5) + rng.normal(0, 3, n)
X = np.stack([at, v, ap, rh], 1)
X = torch.tensor((X - X[:2400].mean(0)) / X[:2400].std(0), dtype=torch.float32)
y = torch.tensor(mw, dtype=torch.float32).unsqueeze(1)
net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=3)
for epoch in range(30):
    net.train()
    s = 0
    for b in torch.randperm(2400).split(60):
        loss = nn.functional.mse_loss(net(X[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 40
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(X[2400:]), y[2400:]).item()
    sched.step(v)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} train mse {s:.2f} val mse {v:.2f} val R2 {1 - v / y[2400:].var().item():.4f} (noise variance 9)")
