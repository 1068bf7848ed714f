# expect: class-imbalance
# about: two-class bird-call detector where calls are one clip in sixty
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(60)
torch.set_num_threads(1)


def clips(n):
    y = (torch.rand(n) < 1 / 60).float()
    t = torch.arange(100) / 100
    call = torch.sin(6.283 * 18 * t + 6.283 * torch.rand(n, 1)) * torch.exp(-((t - 0.2 - 0.6 * torch.rand(n, 1)) ** 2) / 0.01)
    return (torch.randn(n, 100) + 1.8 * y[:, None] * call).unsqueeze(1), y


net = nn.Sequential(nn.Conv1d(1, 12, 11, stride=2), nn.ReLU(), nn.Conv1d(12, 12, 5, stride=2), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(12, 1))
loader = DataLoader(TensorDataset(*clips(6000)), batch_size=50, shuffle=True)
xv, yv = clips(3000)
criterion = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(4):
    tot = 0.0
    for x, y in loader:
        loss = criterion(net(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        p = net(xv).squeeze(1) > 0
    hit = p[yv == 1].float().mean()
    false = p[yv == 0].float().mean()
    print(f"epoch {epoch + 1} loss {tot / len(loader):.4f} acc {(p == yv.bool()).float().mean():.3f} recall {hit:.3f} false alarms {false:.3f}")
# cure: - criterion = nn.BCEWithLogitsLoss()
# cure: + criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(40.0))
