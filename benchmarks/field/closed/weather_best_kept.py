# expect: healthy
# about: validation creeps up a little after its best epoch; early stopping with patience restores the best weights
import copy
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(50)
w = torch.randn(15)


def data(n):
    x = torch.randn(n, 15)
    y = torch.sin(x @ w / 3) + 0.4 * x[:, 0] * x[:, 1] + 0.4 * torch.randn(n)
    return x, y.unsqueeze(1)


x, y = data(1500)
xv, yv = data(800)
xt, yt = data(2000)
net = nn.Sequential(nn.Linear(15, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
mse = nn.MSELoss()


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


stopper = EarlyStopping(patience=5)
for epoch in range(100):
    net.train()
    tr = 0
    for b in torch.randperm(1500).split(32):
        loss = mse(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr += loss.item() * len(b) / 1500
    net.eval()
    with torch.no_grad():
        va = mse(net(xv), yv).item()
    print(f"epoch {epoch} train {tr:.4f} val {va:.4f}")
    if stopper(va, net):
        print("early stop")
        break
net.load_state_dict(stopper.state)
with torch.no_grad():
    print("best val %.4f, test %.4f, noise 0.16, variance %.3f" % (stopper.best, mse(net(xt), yt).item(), yt.var().item()))
