# expect: model-too-small
# also: no-nonlinearity
# about: one nn.Linear for a demand surface made of waves and interactions
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
torch.set_num_threads(1)
N = 3000
price, season, promo = torch.rand(N) * 2 - 1, torch.rand(N) * 2 - 1, (torch.rand(N) < 0.4).float()
demand = torch.sin(3 * season) * (1 + promo) - 2 * price**2 + 1.5 * price * season + 0.1 * torch.randn(N)
feats = torch.stack([price, season, promo], 1)
demand = ((demand - demand.mean()) / demand.std()).unsqueeze(1)
train_dl = DataLoader(TensorDataset(feats[:2400], demand[:2400]), batch_size=64, shuffle=True)
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.MSELoss()
for epoch in range(30):
    tot = 0.0
    for xb, yb in train_dl:
        loss = loss_fn(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(xb) / 2400
    if (epoch + 1) % 5 == 0:
        with torch.no_grad():
            print(f"epoch {epoch + 1}: train {tot:.4f} valid {loss_fn(model(feats[2400:]), demand[2400:]).item():.4f}")
# cure: - model = nn.Linear(3, 1)
# cure: + model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
