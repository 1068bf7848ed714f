# expect: batchnorm-tiny-batch
# about: tabular net with BatchNorm trained on batches of two, evaluated with running statistics
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(900, 6) * torch.tensor([1.0, 3.0, 0.5, 1.0, 2.0, 1.0])
y = (X[:, 0] + X[:, 1] / 3).unsqueeze(1) + torch.tanh(X[:, 4]).unsqueeze(1)
loader = DataLoader(TensorDataset(X[:600], y[:600]), batch_size=2, shuffle=True, drop_last=True)
net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    net.train()
    tot = 0.0
    for xb, yb in loader:
        loss = nn.functional.mse_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} train {tot:.4f} val {nn.functional.mse_loss(net(X[600:]), y[600:]).item():.4f} (variance {y[600:].var().item():.3f})")
# cure: - loader = DataLoader(TensorDataset(X[:600], y[:600]), batch_size=2, shuffle=True, drop_last=True)
# cure: + loader = DataLoader(TensorDataset(X[:600], y[:600]), batch_size=20, shuffle=True, drop_last=True)
