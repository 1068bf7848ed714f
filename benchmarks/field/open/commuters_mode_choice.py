# expect: healthy
# about: discrete choice among eight travel options with a neural utility; people choose at random by design, so accuracy stays near 0.29, as does that of the true utilities
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(51)
torch.set_num_threads(1)
rng = np.random.default_rng(51)
N, ALT = 9000, 8
minutes = rng.gamma(6, 6, (N, ALT))
euros = rng.gamma(2, 2.5, (N, ALT))
changes = rng.integers(0, 3, (N, ALT))
income = rng.uniform(0, 1, (N, 1))
utility = -0.035 * minutes - (0.30 - 0.2 * income) * euros - 0.25 * changes
choice = (utility + rng.gumbel(0, 1, (N, ALT))).argmax(1)
x = np.stack([minutes / 30, euros / 5, changes, np.repeat(income, ALT, 1)], -1)
x, choice, utility = torch.tensor(x).float(), torch.tensor(choice), torch.tensor(utility).float()
tr, te = slice(0, 7500), slice(7500, None)

net = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 15)
for epoch in range(15):
    total = 0.0
    for b in torch.randperm(7500).split(75):
        loss = F.cross_entropy(net(x[tr][b]).squeeze(-1), choice[tr][b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() / 100
    scheduler.step()
    with torch.no_grad():
        u = net(x[te]).squeeze(-1)
    print(f"epoch {epoch + 1:2d} train nll {total:.4f} test nll {F.cross_entropy(u, choice[te]).item():.4f} acc {(u.argmax(1) == choice[te]).float().mean():.4f}")
t = utility[te]
print(f"true utilities: nll {F.cross_entropy(t, choice[te]).item():.4f} acc {(t.argmax(1) == choice[te]).float().mean():.4f}; guessing {np.log(ALT):.4f}")
