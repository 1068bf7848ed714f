# expect: exploding-gradients
# about: recurrent counter of ReLU units started at the identity, SGD without clipping: rare enormous gradients throw it off
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)


def make(n, T=30):
    x = (torch.rand(n, T, 1) < 0.3).float()
    return x, x.sum(1) / 5 - 1.8


class Counter(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.inp = nn.Linear(1, h)
        self.rec = nn.Linear(h, h, bias=False)
        nn.init.eye_(self.rec.weight)
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        h = torch.zeros(len(x), 32)
        for t in range(x.shape[1]):
            h = nn.functional.relu(self.rec(h) + self.inp(x[:, t]))
        return self.out(h)


net = Counter()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
LIMIT = 1e9
xv, yv = make(200)
for step in range(1, 1101):
    x, y = make(16)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), LIMIT)
    opt.step()
    if step % 110 == 0:
        with torch.no_grad():
            print(f"step {step} loss {loss.item():.4f} val {nn.functional.mse_loss(net(xv), yv).item():.4f}")
# cure: - LIMIT = 1e9
# cure: + LIMIT = 1.0
