# expect: broadcast-loss
# about: outputs (N, 1) against targets (N): the loss compares all pairs
import warnings
import torch
from torch import nn
from sklearn.datasets import load_diabetes
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
X, y = load_diabetes(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=torch.float32)
y = torch.tensor((y - y.mean()) / y.std(), dtype=torch.float32)
train = DataLoader(TensorDataset(X[:350], y[:350]), batch_size=25, shuffle=True)
val = DataLoader(TensorDataset(X[350:], y[350:]), batch_size=92)
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
for epoch in range(50):
    model.train()
    for xb, yb in train:
        pred = model(xb)
        loss = loss_fn(pred, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            for xb, yb in val:
                p = model(xb).view(-1)
                print(f"epoch {epoch+1} train {loss.item():.4f} val {loss_fn(p, yb).item():.4f} R2 {1 - ((p - yb) ** 2).sum() / ((yb - yb.mean()) ** 2).sum():.3f}")
# cure: - pred = model(xb)
# cure: + pred = model(xb).squeeze(1)
