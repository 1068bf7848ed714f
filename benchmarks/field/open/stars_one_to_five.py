# expect: output-range-mismatch
# about: star ratings from 1 to 5 predicted by a net that ends in a sigmoid
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(19)
torch.set_num_threads(1)
X = torch.randn(2500, 12)
score = X[:, :4].sum(1) * 0.5 + torch.tanh(X[:, 4] * X[:, 5])
stars = (3 + 0.8 * score).round().clamp(1, 5)
loader = DataLoader(TensorDataset(X[:2000], stars[:2000]), batch_size=50, shuffle=True)


class StarNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(12, 48), nn.Linear(48, 24), nn.Linear(24, 1)

    def forward(self, x):
        x = torch.relu(self.l2(torch.relu(self.l1(x))))
        out = torch.sigmoid(self.l3(x))
        return out.squeeze(1)


model = StarNet()
optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
for epoch in range(10):
    model.train()
    cum = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        cum += loss.item()
    model.eval()
    with torch.no_grad():
        rmse = nn.functional.mse_loss(model(X[2000:]), stars[2000:]).sqrt().item()
    print(f"epoch {epoch} | mse {cum / len(loader):.4f} | val rmse {rmse:.4f}")
# cure: - out = torch.sigmoid(self.l3(x))
# cure: + out = 1 + 4 * torch.sigmoid(self.l3(x))
