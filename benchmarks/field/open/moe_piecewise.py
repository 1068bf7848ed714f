# expect: healthy
# about: soft mixture of experts with load-balancing term, piecewise regression
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(6)
torch.set_num_threads(1)


class MoE(nn.Module):
    def __init__(self, d_in, d_hidden, n_experts):
        super().__init__()
        self.gate = nn.Linear(d_in, n_experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d_in, d_hidden), nn.ReLU(), nn.Linear(d_hidden, 1)) for _ in range(n_experts))

    def forward(self, x):
        w = F.softmax(self.gate(x), dim=-1)
        y = torch.stack([e(x) for e in self.experts], dim=1).squeeze(-1)
        importance = w.mean(0)
        return (w * y).sum(1), (importance * importance.log()).sum() + torch.log(torch.tensor(float(w.shape[1])))


def target(x):
    return torch.where(x[:, 0] > 0, torch.sin(3 * x[:, 1]), x[:, 1] ** 2 - 1)


X = torch.rand(3000, 2) * 4 - 2
Y = target(X) + 0.05 * torch.randn(3000)
Xv = torch.rand(600, 2) * 4 - 2
Yv = target(Xv)
model = MoE(2, 32, 4)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 50)
for epoch in range(50):
    for b in torch.randperm(3000).split(128):
        pred, balance = model(X[b])
        mse = F.mse_loss(pred, Y[b])
        loss = mse + 0.01 * balance
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    if epoch % 5 == 4:
        with torch.no_grad():
            print(epoch, "train mse %.4f" % mse.item(), "val mse %.4f" % F.mse_loss(model(Xv)[0], Yv).item())
