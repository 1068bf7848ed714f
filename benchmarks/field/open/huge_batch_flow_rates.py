# expect: batch-too-large
# also: undertrained, lr-too-low
# about: 6000 rows of flow data in batches of 3000 for 60 epochs with momentum SGD
import torch
import torch.nn as nn

torch.manual_seed(4)
torch.set_num_threads(1)
X = torch.rand(7000, 4) * 2 - 1
y = torch.sin(3 * X[:, 0]) * X[:, 1] + (X[:, 2] - X[:, 3]).abs()
y = (y - y.mean()) / y.std()
net = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9)


def epochs(n, batch):
    for e in range(n):
        perm = torch.randperm(6000)
        for k in range(0, 6000, batch):
            yield e, perm[k : k + batch]


last = -1
for e, idx in epochs(60, batch=3000):
    loss = nn.functional.mse_loss(net(X[idx]).squeeze(1), y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if e != last and e % 6 == 0:
        with torch.no_grad():
            print(f"epoch {e} train {loss.item():.4f} val {nn.functional.mse_loss(net(X[6000:]).squeeze(1), y[6000:]).item():.4f}")
        last = e
with torch.no_grad():
    print(f"final val {nn.functional.mse_loss(net(X[6000:]).squeeze(1), y[6000:]).item():.4f}")
# cure: - for e, idx in epochs(60, batch=3000):
# cure: + for e, idx in epochs(60, batch=100):
