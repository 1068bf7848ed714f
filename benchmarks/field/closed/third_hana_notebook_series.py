# expect: healthy
# %%
import numpy as np
import torch, torch.nn as nn
import matplotlib
matplotlib.use("Agg")

torch.manual_seed(5); rng = np.random.default_rng(5)
# %% several machines, one long recording each
M, T = 12, 3000
ph = rng.uniform(0, 6, M)[:, None]; t = np.arange(T)[None]
hidden = np.cumsum(rng.normal(0, .02, (M, T)), 1)
sig = np.sin(2 * np.pi * t / 40 + ph + .5 * np.sin(2 * np.pi * t / 333)) + hidden + rng.normal(0, .05, (M, T))
sig = (sig - sig[:, :2400].mean()) / sig[:, :2400].std()
S = torch.tensor(sig, dtype=torch.float32)

# %%
class Model(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.cell = nn.GRU(1, h, batch_first=True)
        self.out = nn.Linear(h, 1)
        self.h = None
    def reset(self): self.h = None
    def forward(self, x):
        y, h = self.cell(x.unsqueeze(-1), self.h)
        self.h = h.detach()
        return x + self.out(y).squeeze(-1)

net = Model()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 14)
history = []
# %%
for ep in range(14):
    net.train(); net.reset()
    for s in range(0, 2400 - 50, 50):
        loss = nn.functional.mse_loss(net(S[:, s:s+50]), S[:, s+1:s+51])
        opt.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.)
        opt.step()
        history.append(loss.item())
    sched.step()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(S[:, 2400:-1]), S[:, 2401:]).item()
    print("epoch", ep, "train", np.mean(history[-47:]), "val", v)
# %%
print("persistence", ((S[:, 2401:] - S[:, 2400:-1]) ** 2).mean().item(), "model", v)
