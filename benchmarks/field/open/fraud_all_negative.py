# expect: class-imbalance
# about: 1.5 % fraud, plain BCE, the model flags nothing
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


def transactions(n):
    y = (torch.rand(n) < 0.015).float()
    x = torch.randn(n, 12)
    x[:, :4] += 1.0 * y[:, None]
    return x, y


x, y = transactions(12000)
xv, yv = transactions(6000)
loader = DataLoader(TensorDataset(x, y), batch_size=256, shuffle=True)
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(15):
    model.train()
    tot = 0
    for xb, yb in loader:
        opt.zero_grad()
        loss = criterion(model(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        logits = model(xv).squeeze(1)
        flagged = logits > 0
        tpr, tnr = flagged[yv == 1].float().mean().item(), 1 - flagged[yv == 0].float().mean().item()
        vloss = criterion(logits, yv).item()
    print(f"epoch {epoch} train {tot/len(loader):.4f} val {vloss:.4f} accuracy {(flagged == yv.bool()).float().mean():.4f} recall {tpr:.3f} balanced acc {(tpr + tnr) / 2:.3f}")
# cure: - criterion = nn.BCEWithLogitsLoss()
# cure: + criterion = nn.BCEWithLogitsLoss(pos_weight=(y == 0).sum() / (y == 1).sum())
