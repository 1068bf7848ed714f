# expect: unscaled-inputs
# also: lr-too-high
# about: marketing segments predicted from recency, frequency and monetary value, plain SGD loop
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(0)
rng = np.random.default_rng(0)
torch.set_num_threads(1)

n = 1500
segment = rng.integers(0, 4, n)
recency = rng.gamma(2.0, np.array([10, 40, 90, 25])[segment])                    # days
frequency = rng.poisson(np.array([24, 10, 3, 4])[segment]) + 1                    # orders
monetary = frequency * rng.lognormal(np.array([8.2, 8.0, 7.6, 10.0])[segment], 0.4)   # cents
tenure = rng.integers(30, 3000, n)                                                # days
data = np.stack([recency, frequency, monetary, tenure], axis=1).astype("float32")

X = torch.tensor(data)
Y = torch.tensor(segment)
Xtr, Ytr, Xte, Yte = X[:1200], Y[:1200], X[1200:], Y[1200:]


class SegmentNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = torch.nn.Linear(4, 32)
        self.l2 = torch.nn.Linear(32, 32)
        self.l3 = torch.nn.Linear(32, 4)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


net = SegmentNet()
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(20):
    perm = torch.randperm(1200)
    losses = 0
    for b in range(0, 1200, 40):
        i = perm[b:b + 40]
        opt.zero_grad()
        loss = F.cross_entropy(net(Xtr[i]), Ytr[i])
        loss.backward()
        opt.step()
        losses += loss.item()
    if epoch % 4 == 3:
        with torch.no_grad():
            acc = (net(Xte).argmax(1) == Yte).float().mean()
        print('epoch', epoch + 1, 'loss', round(losses / 30, 4), 'test acc', round(acc.item(), 4))
# cure: - X = torch.tensor(data)
# cure: + data = np.log1p(data)
# cure: + X = torch.tensor((data - data[:1200].mean(0)) / data[:1200].std(0))
