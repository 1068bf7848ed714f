# expect: unscaled-targets
# about: standardised features, monthly rents in cents as targets, SGD; the loss is 1e9 and soon nan
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(1)
n = 1500
area, rooms, dist, floor = 30 + 90 * torch.rand(n), torch.randint(1, 6, (n,)).float(), 15 * torch.rand(n), torch.randint(0, 9, (n,)).float()
rent = 100 * (9 * area + 60 * rooms - 25 * dist + 0.8 * area * (dist < 4) * 3 + 30 * torch.randn(n) + 300)
X = torch.stack([area, rooms, dist, floor], 1)
X = (X - X[:1200].mean(0)) / X[:1200].std(0)
y = rent.view(-1, 1)
scale, offset = 1.0, 0.0
y = (y - offset) / scale

model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
criterion = nn.MSELoss()
for epoch in range(20):
    for i in range(0, 1200, 40):
        out = model(X[i:i + 40])
        loss = criterion(out, y[i:i + 40])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        p = model(X[1200:])
        r2 = 1 - ((p - y[1200:]) ** 2).sum() / ((y[1200:] - y[1200:].mean()) ** 2).sum()
    if epoch % 3 == 0 or epoch == 19:
        print("epoch", epoch, "loss", loss.item(), "test R2 %.3f" % r2.item())
# cure: - scale, offset = 1.0, 0.0
# cure: + scale, offset = y[:1200].std(), y[:1200].mean()
