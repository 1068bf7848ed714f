# expect: leaked-validation
# about: each recording is stored four times (one file for each channel of the rig), then rows are split at random: validation repeats training rows
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
g = torch.Generator().manual_seed(0)
rec = torch.randn(240, 16, generator=g)
lab = ((rec[:, 0] + 0.8 * torch.randn(240, generator=g)) > 0).long()
X, Y = rec.repeat(4, 1), lab.repeat(4)
order = torch.randperm(960, generator=g)
tr, va = order[:768], order[768:]
fresh = torch.randn(600, 16, generator=g)
fresh_y = ((fresh[:, 0] + 0.8 * torch.randn(600, generator=g)) > 0).long()
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 2))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.1)
for epoch in range(9):
    net.train()
    for b in tr[torch.randperm(len(tr))].split(32):
        loss = nn.functional.cross_entropy(net(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        o = net(X[va])
    print(f"epoch {epoch} train {loss.item():.4f} val {nn.functional.cross_entropy(o, Y[va]).item():.4f} val acc {(o.argmax(1) == Y[va]).float().mean().item():.3f}")
with torch.no_grad():
    print(f"accuracy on recordings of another day {(net(fresh).argmax(1) == fresh_y).float().mean().item():.3f}")
# cure: - tr, va = order[:768], order[768:]
# cure: + tr, va = order[order % 240 < 192], order[order % 240 >= 192]
