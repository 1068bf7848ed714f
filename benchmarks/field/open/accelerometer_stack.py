# expect: scrambled-axes
# about: activity from accelerometer windows; per-step features stacked into a sequence for an LSTM
import torch
import torch.nn as nn

torch.manual_seed(65)
torch.set_num_threads(1)
T = 20


def windows(n):
    y = torch.randint(0, 4, (n,))
    t = torch.arange(T) / T
    f = 1.5 + 1.5 * (y % 2)
    amp = 0.6 + 0.7 * (y // 2)
    ph = 6.283 * torch.rand(n, 1)
    xyz = torch.stack([amp[:, None] * torch.sin(6.283 * f[:, None] * t + ph + k) for k in (0.0, 1.0, 2.0)], -1)
    return xyz + 0.3 * torch.randn(n, T, 3), y


class ActivityNet(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(3, 16), nn.ReLU())
        self.lstm = nn.LSTM(16, h, batch_first=True)
        self.out = nn.Linear(h, 4)

    def forward(self, x):
        steps = torch.stack([self.feat(x[:, t]) for t in range(T)])
        seq = steps.view(len(x), T, -1)
        return self.out(self.lstm(seq)[0].mean(1))


net = ActivityNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
x, y = windows(1500)
xv, yv = windows(400)
for epoch in range(8):
    total = 0.0
    for b in torch.randperm(1500).split(30):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        acc = torch.cat([net(xv[i : i + 40]).argmax(1) == yv[i : i + 40] for i in range(0, 400, 40)]).float().mean()
    print(f"epoch {epoch + 1} loss {total / 50:.3f} val acc {acc:.3f}")
# cure: - seq = steps.view(len(x), T, -1)
# cure: + seq = steps.transpose(0, 1)
