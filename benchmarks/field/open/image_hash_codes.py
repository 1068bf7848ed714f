# expect: saturated-activations
# about: supervised hashing of digits: steep tanh code layer, pairwise similarity loss
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(16)
torch.set_num_threads(1)
X, y = load_digits(return_X_y=True)
X, y = torch.tensor(X, dtype=torch.float32) / 16, torch.tensor(y)
BITS = 16


class HashNet(nn.Module):
    def __init__(self, beta):
        super().__init__()
        self.beta = beta
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, BITS))

    def forward(self, x):
        return torch.tanh(self.beta * self.body(x))


net = HashNet(beta=300.0)
opt = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)


def retrieval(k=10):
    with torch.no_grad():
        db, q = net(X[:1400]).sign(), net(X[1400:]).sign()
    top = (q @ db.T).topk(k).indices
    return (y[top] == y[1400:, None]).float().mean().item()


print(f"before training: precision@10 {retrieval():.3f}")
for epoch in range(1, 16):
    tot = 0.0
    for b in torch.randperm(1400).split(50):
        c = net(X[b])
        sim = c @ c.T / BITS
        same = (y[b][:, None] == y[b]).float()
        loss = (same * (1 - sim) ** 2 * 5 + (1 - same) * sim**2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    if epoch % 3 == 0:
        print(f"epoch {epoch} loss {tot / 28:.4f} precision@10 {retrieval():.3f}")
# cure: - net = HashNet(beta=300.0)
# cure: + net = HashNet(beta=1.0)
