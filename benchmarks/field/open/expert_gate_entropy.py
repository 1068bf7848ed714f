# expect: unstable-math
# about: mixture of experts with masked gates and an entropy bonus, regression of a piecewise signal
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(14)
torch.set_num_threads(1)


class SparseMoE(nn.Module):
    def __init__(self, d_in=6, d_hidden=24, experts=5, k=2):
        super().__init__()
        self.k = k
        self.router = nn.Linear(d_in, experts)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d_in, d_hidden), nn.GELU(), nn.Linear(d_hidden, 1)) for _ in range(experts)])

    def forward(self, x):
        scores = self.router(x)
        threshold = scores.topk(self.k, dim=-1).values[:, -1:]
        gates = F.softmax(scores.masked_fill(scores < threshold, float("-inf")), dim=-1)
        outs = torch.cat([e(x) for e in self.experts], dim=-1)
        return (gates * outs).sum(-1), gates


def gate_entropy(gates):
    logs = torch.log(gates)
    return -(gates * logs).sum(-1).mean()


def sample(n):
    x = torch.randn(n, 6)
    y = torch.where(x[:, 0] > 0, (2 * x[:, 1]).sin() + x[:, 2], x[:, 3] * x[:, 4])
    return x, y + 0.05 * torch.randn(n)


moe = SparseMoE()
optimizer = torch.optim.Adam(moe.parameters(), lr=3e-3)
x_val, y_val = sample(500)
for it in range(600):
    x, y = sample(64)
    pred, gates = moe(x)
    loss = F.mse_loss(pred, y) - 0.01 * gate_entropy(gates)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(moe.parameters(), 5.0)
    optimizer.step()
    if (it + 1) % 100 == 0:
        with torch.no_grad():
            val = F.mse_loss(moe(x_val)[0], y_val)
        print("iter", it + 1, "loss %.4f val mse %.4f" % (loss.item(), val.item()))
# cure: - logs = torch.log(gates)
# cure: + logs = torch.log(gates.clamp(min=1e-8))
