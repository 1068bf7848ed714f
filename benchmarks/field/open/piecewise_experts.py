# expect: softmax-wrong-axis
# about: mixture-of-experts gate whose softmax runs over dim 0 (the batch) instead of the experts
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.rand(2000, 2) * 4 - 2
region = (x[:, 0] > 0).long() * 2 + (x[:, 1] > 0).long()
slope = torch.tensor([[1.0, 2], [-2, 1], [3, -1], [-1, -3]])
y = (slope[region] * x).sum(1)


class MoE(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, k))
        self.experts = nn.Linear(2, k)

    def forward(self, x):
        g = torch.softmax(self.gate(x), dim=0)
        return (g * self.experts(x)).sum(1)


net = MoE()
opt = torch.optim.Adam(net.parameters(), lr=0.03)
for epoch in range(20):
    tot = 0.0
    for b in torch.randperm(1600).split(40):
        loss = nn.functional.mse_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 40
    with torch.no_grad():
        print(f"epoch {epoch} train {tot:.4f} val {nn.functional.mse_loss(net(x[1600:]), y[1600:]).item():.4f}")
# cure: - g = torch.softmax(self.gate(x), dim=0)
# cure: + g = torch.softmax(self.gate(x), dim=1)
