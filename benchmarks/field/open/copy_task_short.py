# expect: undertrained
# about: GRU adding problem stopped while the curve is still heading down
# also: lr-too-low
import argparse
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--iters", type=int, default=130)
args = ap.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)


def parity_window(n, T=12):
    x = torch.randint(0, 2, (n, T))
    return x.float().unsqueeze(2), x.float().cumsum(1) / 4 - 1.5


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0]).squeeze(2)


model = Counter()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for it in range(args.iters):
    x, y = parity_window(64)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 26 == 25:
        with torch.no_grad():
            xv, yv = parity_window(400)
            print(f"iter {it + 1}: {loss.item():.4f} val {nn.functional.mse_loss(model(xv), yv).item():.4f}")
# cure: - ap.add_argument("--iters", type=int, default=130)
# cure: + ap.add_argument("--iters", type=int, default=1000)
