# expect: leaked-validation
# also: overfitting
# about: few specimens multiplied by augmentation, then split at random; a later field test at the end
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(67)
torch.set_num_threads(1)
proto = torch.randn(4, 60)


def specimens(n):
    y = torch.randint(0, 4, (n,))
    return 0.22 * proto[y] + torch.randn(n, 60), y


def augment(x, y, times=8):
    return torch.cat([torch.where(torch.rand(len(x), 1) < 0.5, x.flip(1), x) for _ in range(times)]), y.repeat(times)


raw_x, raw_y = specimens(160)
field_x, field_y = specimens(500)
pool_x, pool_y = augment(raw_x, raw_y)
perm = torch.randperm(len(pool_x))
cut = int(0.75 * len(perm))
train_idx, val_idx = perm[:cut], perm[cut:]
val_x, val_y = pool_x[val_idx], pool_y[val_idx]
loader = DataLoader(TensorDataset(pool_x[train_idx], pool_y[train_idx]), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(60, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(15):
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(val_x)
    print(f"epoch {epoch + 1} train {loss.item():.3f} val {nn.functional.cross_entropy(o, val_y):.3f} val acc {(o.argmax(1) == val_y).float().mean():.3f}")
with torch.no_grad():
    print(f"field test acc {(net(field_x).argmax(1) == field_y).float().mean():.3f}")
# cure: - perm = torch.randperm(len(pool_x))
# cure: + spec = torch.arange(len(pool_x)) % 160
# cure: + perm = torch.cat([torch.nonzero(spec < 120).flatten(), torch.nonzero(spec >= 120).flatten()])
