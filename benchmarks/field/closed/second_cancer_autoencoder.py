# expect: output-range-mismatch
import torch
from torch import nn
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

torch.manual_seed(14)
X = load_breast_cancer().data
X = StandardScaler().fit_transform(X)
X = torch.tensor(X, dtype=torch.float32)
X = X[torch.randperm(len(X))]
train, val = X[:430], X[430:]


class AutoEncoder(nn.Module):
    def __init__(self, n_in=30, n_code=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_in, 64), nn.ReLU(), nn.Linear(64, n_code))
        self.decoder = nn.Sequential(nn.Linear(n_code, 64), nn.ReLU(), nn.Linear(64, n_in), nn.Sigmoid())

    def forward(self, x):
        return self.decoder(self.encoder(x))


ae = AutoEncoder()
opt = torch.optim.Adam(ae.parameters(), lr=3e-3)
mse = nn.MSELoss()
best = float("inf")
for epoch in range(150):
    ae.train()
    for batch in train[torch.randperm(len(train))].split(43):
        loss = mse(ae(batch), batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
    ae.eval()
    with torch.no_grad():
        v = mse(ae(val), val).item()
    best = min(best, v)
    if epoch % 15 == 0:
        print(f"epoch {epoch:3d} loss {loss.item():.4f} val {v:.4f}")
print(f"best val reconstruction {best:.4f}")
