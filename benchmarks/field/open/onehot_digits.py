# expect: wrong-loss
# about: L1 loss on one-hot class vectors: the net learns to answer zeros
import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
bunch = load_digits()
X = torch.tensor(bunch.data, dtype=torch.float32) / 16
Y = torch.tensor(bunch.target)
onehot = torch.eye(10)[Y]
net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def criterion(out, idx):
    return nn.functional.l1_loss(out, onehot[idx])


n = 1400
for epoch in range(20):
    for idx in torch.randperm(n).split(28):
        loss = criterion(net(X[idx]), idx)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = net(X[n:])
        print(f"epoch {epoch:02d} loss {loss.item():.4f} val acc {(o.argmax(1) == Y[n:]).float().mean():.3f}")
# cure: - return nn.functional.l1_loss(out, onehot[idx])
# cure: + return nn.functional.cross_entropy(out, Y[idx])
