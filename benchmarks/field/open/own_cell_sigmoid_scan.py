# expect: vanishing-gradients
# about: hand-written recurrent cell reading a sensor trace whose first samples decide the class
import torch
from torch import nn

torch.manual_seed(15)
torch.set_num_threads(1)
T = 40


def traces(n):
    y = torch.randint(0, 2, (n,))
    x = torch.randn(n, T, 2) * 0.5
    x[:, :3, 0] += (2.0 * y - 1)[:, None]
    return x, y


class Cell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.i2h, self.h2h, self.gate = nn.Linear(i, h), nn.Linear(h, h), nn.Linear(i + h, h)
        nn.init.constant_(self.gate.bias, 3.0)

    def forward(self, x, h):
        new = torch.sigmoid(self.i2h(x) + self.h2h(h))
        return new


class Scanner(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.cell, self.out, self.h = Cell(2, h), nn.Linear(h, 2), h

    def forward(self, x):
        h = x.new_zeros(len(x), self.h)
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.out(h)


net = Scanner()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
xv, yv = traces(500)
for step in range(1, 251):
    x, y = traces(32)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            print(f"step {step} loss {loss.item():.3f} val acc {(net(xv).argmax(1) == yv).float().mean():.3f}")
# cure: - return new
# cure: + keep = torch.sigmoid(self.gate(torch.cat([x, h], 1)))
# cure: + return keep * h + (1 - keep) * new
