# expect: lr-too-high
# about: diabetes progression, tanh MLP, Nesterov SGD at 0.2 jumps about or runs away
import torch
from sklearn.datasets import load_diabetes
from torch import nn

torch.manual_seed(11)
torch.set_num_threads(1)
data = load_diabetes()
x = torch.tensor(data.data, dtype=torch.float32) / 0.0476
t = torch.tensor(data.target, dtype=torch.float32).unsqueeze(1)
t = (t - t.mean()) / t.std()
p = torch.randperm(len(x))
tr, va = p[:340], p[340:]


def build():
    return nn.Sequential(nn.Linear(10, 24), nn.Tanh(), nn.Linear(24, 12), nn.Tanh(), nn.Linear(12, 1))


def run(epochs, lr):
    net = build()
    sgd = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=1e-3)
    mse = nn.MSELoss()
    for e in range(epochs):
        q = tr[torch.randperm(len(tr))]
        s = 0.0
        for k in range(0, len(q), 20):
            sgd.zero_grad(set_to_none=True)
            l = mse(net(x[q[k : k + 20]]), t[q[k : k + 20]])
            l.backward()
            sgd.step()
            s += l.item() * 20 / len(q)
        with torch.no_grad():
            v = mse(net(x[va]), t[va]).item()
        if e % 3 == 2:
            print(f"epoch {e + 1:2d} | train mse {s:.3f} | val mse {v:.3f} | val R2 {1 - v / t[va].var().item():.3f}")


run(24, lr=0.2)
# cure: - run(24, lr=0.2)
# cure: + run(24, lr=0.004)
