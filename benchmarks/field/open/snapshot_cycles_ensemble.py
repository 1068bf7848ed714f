# expect: healthy
# about: snapshot ensemble: cosine warm restarts make the training loss jump every cycle, the weights at each cycle's end are kept and averaged in probability
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(33)
torch.set_num_threads(1)
digits = load_digits()
x = torch.tensor(digits.images).float()[:, None] / 16
y = torch.tensor(digits.target)
perm = torch.randperm(len(x), generator=torch.Generator().manual_seed(1))
tr, te = perm[:1200], perm[1200:]

net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Dropout(0.25), nn.Linear(24 * 16, 10),
)
CYCLES, EPOCHS = 4, 8
opt = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9, weight_decay=5e-4)
per_epoch = -(-len(tr) // 40)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=EPOCHS * per_epoch, eta_min=1e-4)
snapshots = []


def probs(model):
    model.eval()
    with torch.no_grad():
        return F.softmax(model(x[te]), 1)


for epoch in range(CYCLES * EPOCHS):
    net.train()
    total = 0.0
    for b in tr[torch.randperm(len(tr))].split(40):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() / per_epoch
    if (epoch + 1) % EPOCHS == 0:
        snapshots.append(copy.deepcopy(net))
    if epoch % 2:
        p = probs(net)
        print(f"epoch {epoch + 1:2d} train {total:.4f} test {F.nll_loss(p.log(), y[te]).item():.4f} acc {(p.argmax(1) == y[te]).float().mean():.4f}")
p = torch.stack([probs(m) for m in snapshots]).mean(0)
print(f"ensemble of {len(snapshots)}: test {F.nll_loss(p.log(), y[te]).item():.4f} acc {(p.argmax(1) == y[te]).float().mean():.4f}")
