# expect: params-not-in-optimizer
# about: multi-task net keeps its per-task hidden layers in a plain dict; only trunk and heads are in parameters()
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(1500, 8)
tasks = {"sum": x[:, :4].sum(1), "gate": torch.tanh(x[:, 4] - 2 * x[:, 5]), "wave": torch.sin(2 * x[:, 2])}


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(8, 6)
        self.hidden = {k: nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2), nn.Tanh()) for k in tasks}
        self.heads = nn.ModuleDict({k: nn.Linear(2, 1) for k in tasks})

    def forward(self, x):
        h = torch.tanh(self.trunk(x))
        return {k: self.heads[k](self.hidden[k](h)).squeeze(1) for k in tasks}


net = MultiTask()
opt = torch.optim.Adam(net.parameters(), lr=2e-2)
for epoch in range(15):
    for b in torch.randperm(1200).split(40):
        out = net(x[b])
        loss = sum(nn.functional.mse_loss(out[k], tasks[k][b]) for k in tasks)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = net(x[1200:])
        report = {k: round(nn.functional.mse_loss(out[k], tasks[k][1200:]).item(), 3) for k in tasks}
    print(f"epoch {epoch} loss {loss.item():.4f} val {report}")
# cure: - self.hidden = {k: nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2), nn.Tanh()) for k in tasks}
# cure: + self.hidden = nn.ModuleDict({k: nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 2), nn.Tanh()) for k in tasks})
