# expect: low-precision
# about: model.half() trained directly in float16: small gradients and updates vanish, Adam's eps is zero
# also: unstable-math
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes

torch.manual_seed(0)
torch.set_num_threads(1)
DTYPE = torch.float16
X, y = load_diabetes(return_X_y=True)
X = torch.tensor((X - X.mean(0)) / X.std(0), dtype=DTYPE)
y = torch.tensor((y - y.mean()) / y.std(), dtype=DTYPE)
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1)).to(DTYPE)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(25):
    for b in torch.randperm(350).split(32):
        loss = ((model(X[b]).squeeze(1) - y[b]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(f"epoch {epoch} loss {loss.item():.4f} val {((model(X[350:]).squeeze(1) - y[350:]).float() ** 2).mean().item():.4f}")
# cure: - DTYPE = torch.float16
# cure: + DTYPE = torch.float32
