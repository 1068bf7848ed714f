# expect: missing-zero-grad
# coding: utf-8

# # Forecasting monthly demand with a GRU

# In[1]:
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(5)
torch.manual_seed(5)

# In[2]:
t = np.arange(900)
demand = 40 + 0.01 * t + 8 * np.sin(2 * np.pi * t / 12) + 4 * np.sin(2 * np.pi * t / 30) + rng.normal(0, 1, 900)
mean, std = demand[:700].mean(), demand[:700].std()
z = (demand - mean) / std

L = 24
X = torch.tensor(np.stack([z[i:i + L] for i in range(len(z) - L)]), dtype=torch.float32)[..., None]
Y = torch.tensor(z[L:], dtype=torch.float32)[:, None]
X_tr, Y_tr, X_te, Y_te = X[:676], Y[:676], X[676:], Y[676:]

# In[3]:
class GRUNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.gru(x)
        return self.fc(h[-1])

net = GRUNet()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
mse = nn.MSELoss()

# In[4]:
for epoch in range(25):
    idx = torch.randperm(len(X_tr))
    ep_loss = 0
    for b in idx.split(26):
        pred = net(X_tr[b])
        loss = mse(pred, Y_tr[b])
        loss.backward()
        opt.step()
        ep_loss += loss.item()
    if epoch % 4 == 0:
        print(f"epoch {epoch:3d}   mse {ep_loss / 26:.4f}")

# In[5]:
net.eval()
with torch.no_grad():
    rmse = (((net(X_te) - Y_te) * std) ** 2).mean().sqrt().item()
print("RMSE on last years:", rmse)
