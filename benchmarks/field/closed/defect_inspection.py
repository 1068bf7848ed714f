# expect: class-imbalance
# about: defect detector on 2.5 percent defective parts; accuracy looks great, recall is zero
import torch
import torch.nn as nn
from sklearn.metrics import balanced_accuracy_score, recall_score
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(33)


def parts(n, rate=0.025):
    y = (torch.rand(n) < rate).float()
    x = torch.randn(n, 10)
    x[:, 0] += 1.3 * y
    x[:, 1] -= 1.1 * y
    x[:, 2] += 0.9 * y
    return x, y


x, y = parts(4000)
xv, yv = parts(3000)
loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb).squeeze(1), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        pred = (model(xv).squeeze(1) > 0).float().numpy()
    print(f"epoch {epoch} loss {loss.item():.4f} acc {(pred == yv.numpy()).mean():.4f} recall {recall_score(yv.numpy(), pred, zero_division=0):.3f} balanced acc {balanced_accuracy_score(yv.numpy(), pred):.3f}")
# cure: - criterion = nn.BCEWithLogitsLoss()
# cure: + criterion = nn.BCEWithLogitsLoss(pos_weight=(1 - y).sum() / y.sum())
