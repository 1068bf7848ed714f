# expect: lr-decays-too-soon
# about: temporal convnet with StepLR meant per epoch but called inside the batch loop
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(17)
t = torch.arange(3000) * 0.1
series = torch.sin(t) + 0.5 * torch.sin(2.7 * t + 1) + 0.3 * torch.sin(0.31 * t) * torch.cos(5 * t) + 0.05 * torch.randn(3000)
win = series.unfold(0, 33, 1)
x, y = win[:, :32].unsqueeze(1), win[:, 32]
train = DataLoader(TensorDataset(x[:2300], y[:2300]), batch_size=64, shuffle=True)
xv, yv = x[2400:], y[2400:]


class Causal(nn.Module):
    def __init__(self, cin, cout, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.Conv1d(cin, cout, 3, dilation=dilation)

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0))))


class TCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Causal(1, 16, 1), Causal(16, 16, 2), Causal(16, 16, 4), Causal(16, 16, 8))
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.layers(x)[:, :, -1]).squeeze(-1)


model = TCN()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
for epoch in range(12):
    losses = []
    for xb, yb in train:
        optimizer.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    with torch.no_grad():
        vloss = F.mse_loss(model(xv), yv).item()
    print(f"epoch {epoch:2d} train {sum(losses) / len(losses):.5f} val {vloss:.5f}")
# cure: - scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8, gamma=0.5)
# cure: + scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=8 * len(train), gamma=0.5)
