# expect: bad-batch
# about: three corrupt recordings (100 times too large) among 1200: a spike each time they come up
# also: unscaled-inputs, exploding-gradients
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
w = torch.randn(20, 4)
X = torch.randn(1500, 20)
y = (torch.relu(X @ w) @ torch.tensor([1.0, -1.0, 0.5, 0.8])) / 2
X[[37, 512, 901]] *= 100  # the recorder lost its ground
train = TensorDataset(X[:1200], y[:1200])
X_val, y_val = X[1200:], y[1200:]
loader = DataLoader(train, batch_size=30, shuffle=True)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.5)
for epoch in range(15):
    net.train()
    hist = []
    for xb, yb in loader:
        loss = nn.functional.smooth_l1_loss(net(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(loss.item())
    net.eval()
    with torch.no_grad():
        v = nn.functional.smooth_l1_loss(net(X_val).squeeze(1), y_val).item()
    print(f"epoch {epoch} median {sorted(hist)[len(hist) // 2]:.4f} max {max(hist):.4f} val {v:.4f}")
# cure: - X[[37, 512, 901]] *= 100  # the recorder lost its ground
# cure: + pass
