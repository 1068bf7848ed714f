# expect: unscaled-targets
# about: wages in euros a year from a history of grades; LSTM with L1 loss and Adam never reaches them
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
torch.set_num_threads(1)
grades = torch.randn(1600, 8, 3)
years = torch.linspace(0, 1, 8)
wage = 42000 + 9000 * (grades[:, :, 0] * years).sum(1) - 5000 * torch.tanh(grades[:, -1, 1]) + 1000 * torch.randn(1600)
UNIT = 1.0
ds = TensorDataset(grades, wage / UNIT)
train, valid = torch.utils.data.random_split(ds, [1300, 300], generator=torch.Generator().manual_seed(0))


class WageNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 32, batch_first=True)
        self.fc = nn.Linear(32, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.fc(out[:, -1]).squeeze(-1)


model = WageNet()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(15):
    model.train()
    for x, y in DataLoader(train, batch_size=50, shuffle=True):
        opt.zero_grad()
        loss = nn.functional.l1_loss(model(x), y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(valid, batch_size=300)))
        mae = nn.functional.l1_loss(model(x), y).item() * UNIT
    print(f"epoch {epoch + 1:02d} train {loss.item():.4f} val mae {mae:.1f} euros")
# cure: - UNIT = 1.0
# cure: + UNIT = 10000.0
