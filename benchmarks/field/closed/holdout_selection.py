# expect: leaked-validation
# about: random_split is called but the training loader is built on the whole dataset; a later hold-out file tells the truth
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.set_num_threads(1)
torch.manual_seed(0)
w = torch.randn(20)


def draw(n):
    x = torch.randn(n, 20)
    y = ((x @ w) / 4.5 + 0.8 * torch.randn(n) > 0).float()
    return x, y


dataset = TensorDataset(*draw(360))
holdout_x, holdout_y = draw(2000)
n_val = 90
train_ds, val_ds = random_split(dataset, [len(dataset) - n_val, n_val])
train_loader = DataLoader(dataset, batch_size=16, shuffle=True)
val_loader = DataLoader(val_ds, batch_size=n_val)
model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
best, best_state = 1e9, None
for epoch in range(25):
    model.train()
    for x, y in train_loader:
        opt.zero_grad()
        loss = bce(model(x).squeeze(1), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(val_loader))
        out = model(x).squeeze(1)
        vloss, vacc = bce(out, y).item(), ((out > 0) == (y > 0)).float().mean().item()
    if vloss < best:
        best, best_state = vloss, {k: v.clone() for k, v in model.state_dict().items()}
    if epoch % 4 == 0:
        print(f"epoch {epoch} train {loss.item():.3f} val {vloss:.3f} val acc {vacc:.3f}")
model.load_state_dict(best_state)
with torch.no_grad():
    out = model(holdout_x).squeeze(1)
print(f"selected model: val loss {best:.3f}, hold-out loss {bce(out, holdout_y).item():.3f} acc {((out > 0) == (holdout_y > 0)).float().mean().item():.3f}")
# cure: - train_loader = DataLoader(dataset, batch_size=16, shuffle=True)
# cure: + train_loader = DataLoader(train_ds, batch_size=16, shuffle=True)
