# expect: output-range-mismatch
# about: GRU that forecasts z-scored solar feed-in one hour ahead, head ends in an activation
import numpy as np
import torch
from torch import nn

torch.manual_seed(5)
np.random.seed(5)
torch.set_num_threads(1)

hours = np.arange(24 * 150)
sun = np.clip(np.sin((hours % 24 - 6) / 12 * np.pi), 0, None) ** 2
clouds = np.clip(np.convolve(np.random.rand(len(hours) + 11), np.ones(12) / 12, "valid") * 2 - 0.4, 0.05, 1)
feed = sun * clouds * 40 + np.random.rand(len(hours)) * 0.3
mean, std = feed[:2400].mean(), feed[:2400].std()
z = torch.tensor((feed - mean) / std, dtype=torch.float32)

WINDOW = 24
windows = z.unfold(0, WINDOW + 1, 1)
x_all, y_all = windows[:, :WINDOW, None], windows[:, -1:]
x_train, y_train, x_val, y_val = x_all[:2400], y_all[:2400], x_all[2400:], y_all[2400:]


class FeedIn(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1])


model = FeedIn()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 4, 0.5)
for epoch in range(8):
    model.train()
    epoch_loss = 0.0
    for idx in torch.randperm(len(x_train)).split(64):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(idx)
    scheduler.step()
    model.eval()
    with torch.no_grad():
        pred = model(x_val)
        rmse_kw = (pred - y_val).pow(2).mean().sqrt().item() * std
    print(f"epoch {epoch + 1}: train mse {epoch_loss / len(x_train):.4f}  val rmse {rmse_kw:.3f} kW")
# cure: - self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
# cure: + self.head = nn.Sequential(nn.Linear(hidden, 16), nn.ReLU(), nn.Linear(16, 1))
