# expect: healthy
# about: stochastic weight averaging with a constant high rate at the end, update_bn before the evaluation
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(18)
d = load_digits()
x, y = torch.tensor(d.data).float() / 16, torch.tensor(d.target)
x = x + 0.15 * torch.randn_like(x)
idx = torch.randperm(len(x))
loader = DataLoader(TensorDataset(x[idx[:1300]], y[idx[:1300]]), batch_size=50, shuffle=True)
xv, yv = x[idx[1300:]], y[idx[1300:]]
model = nn.Sequential(nn.Linear(64, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Linear(128, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 10))
swa_model = AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
swa_start, swa_scheduler = 12, SWALR(optimizer, swa_lr=0.03, anneal_epochs=2)


def val(m):
    m.eval()
    with torch.no_grad():
        o = m(xv)
    return f"loss {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.4f}"


for epoch in range(20):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
    if epoch >= swa_start:
        swa_model.update_parameters(model)
        swa_scheduler.step()
    else:
        scheduler.step()
    print(epoch, f"train {loss.item():.4f} lr {optimizer.param_groups[0]['lr']:.4f}", val(model))
update_bn(loader, swa_model)
print("swa", val(swa_model))
