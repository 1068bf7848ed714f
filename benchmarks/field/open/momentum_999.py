# expect: optimizer-misconfigured
# about: SGD with momentum 0.999: long oscillations that no smaller rate removes
# also: lr-too-high
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(1400, 10)
w = torch.randn(10)
y = (X @ w)[:, None] / 3 + 0.3 * torch.sin(2 * X[:, :1])
MOMENTUM = 0.999
model = nn.Sequential(nn.Linear(10, 40), nn.Tanh(), nn.Linear(40, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=MOMENTUM)
mse = nn.MSELoss()
for epoch in range(25):
    total = 0
    for b in torch.randperm(1000).split(25):
        opt.zero_grad()
        loss = mse(model(X[b]), y[b])
        loss.backward()
        opt.step()
        total += loss.item() / 40
    with torch.no_grad():
        print(f"{epoch} train {total:.4f} val {mse(model(X[1000:]), y[1000:]).item():.4f}")
# cure: - MOMENTUM = 0.999
# cure: + MOMENTUM = 0.9
