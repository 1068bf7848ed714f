# expect: low-precision
# about: weights kept in bfloat16 and updated by AdamW: most updates are below the resolution of the weights
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1500, 8)
y = torch.sin(X[:, 0]) + 0.7 * X[:, 1] * X[:, 2] - 0.5 * X[:, 3]
dtype = torch.bfloat16
X, y = X.to(dtype), y.to(dtype)
net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1)).to(dtype)
opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
for epoch in range(60):
    for b in torch.randperm(1200).split(30):
        loss = nn.functional.mse_loss(net(X[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 6 == 5:
        with torch.no_grad():
            v = (net(X[1200:]).squeeze(1).float() - y[1200:].float()).pow(2).mean().item()
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val mse {v:.4f}")
# cure: - dtype = torch.bfloat16
# cure: + dtype = torch.float32
