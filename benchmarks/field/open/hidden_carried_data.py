# expect: detached-graph
# about: own recurrent cell keeps its state in .data to avoid "backward a second time": no credit over time
import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)


class Cell(nn.Module):
    def __init__(self, n_in, n_hid):
        super().__init__()
        self.xh, self.hh = nn.Linear(n_in, n_hid), nn.Linear(n_hid, n_hid, bias=False)

    def forward(self, x, h):
        return torch.tanh(self.xh(x) + self.hh(h))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.read = Cell(2, 32), nn.Linear(32, 1)

    def forward(self, seq):
        h = torch.zeros(seq.shape[0], 32)
        for t in range(seq.shape[1]):
            h_prev = h.data
            h = self.cell(seq[:, t], h_prev)
        return self.read(h)


def make(n):
    s = torch.randn(n, 9, 2)
    return s, (s[:, 2, 0] * 0.8 + s[:, 5, 1] * 0.5).unsqueeze(1)


net = Recurrent()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sv, tv = make(400)
for step in range(1, 601):
    s, t = make(40)
    loss = nn.functional.mse_loss(net(s), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            print(f"step {step} loss {loss.item():.4f} val {nn.functional.mse_loss(net(sv), tv).item():.4f}")
# cure: - h_prev = h.data
# cure: + h_prev = h
