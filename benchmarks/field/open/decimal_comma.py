# expect: bad-batch
# about: a few house rents lost their decimal point (1000 times too high): loss spikes each epoch
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1500, 8)
rent = 1.0 + 0.5 * X[:, 0] + 0.3 * torch.relu(X[:, 1]) - 0.2 * X[:, 2] * X[:, 3]
typed = rent.clone()
typed[[101, 640, 1113]] *= 1000
train = TensorDataset(X[:1200], typed[:1200])
loader = DataLoader(train, batch_size=30, shuffle=True)
net = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.03)
mse = nn.MSELoss()
for epoch in range(15):
    worst = total = 0.0
    for x, r in loader:
        opt.zero_grad()
        loss = mse(net(x).squeeze(1), r)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 100.0)
        opt.step()
        total += loss.item() / len(loader)
        worst = max(worst, loss.item())
    with torch.no_grad():
        v = mse(net(X[1200:]).squeeze(1), rent[1200:]).item()
    print(f"epoch {epoch} mean loss {total:.3f} largest {worst:.1f} val mse {v:.4f}")
# cure: - typed[[101, 640, 1113]] *= 1000
# cure: +
