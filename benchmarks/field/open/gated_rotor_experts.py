# expect: softmax-wrong-axis
# about: gate network that blends linear experts for rotor vibration, three regimes
import torch
import torch.nn as nn


class GatedRegression(nn.Module):
    def __init__(self, n_in, n_experts):
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(n_in, 24), nn.Tanh(), nn.Linear(24, n_experts))
        self.expert = nn.Linear(n_in, n_experts)
        self.softmax = nn.Softmax(dim=0)

    def forward(self, x):
        w = self.softmax(self.gate(x))
        return (w * self.expert(x)).sum(dim=1)


def rotor(n, gen):
    x = torch.randn(n, 5, generator=gen)
    regime = (x[:, 0] > -0.5).long() + (x[:, 0] > 0.6).long()
    coef = torch.tensor([[0.0, 2.0, -1.0, 0.0, 0.5], [0.0, -1.5, 0.5, 1.0, 0.0], [0.0, 0.5, 2.0, -2.0, 1.0]])
    return x, (coef[regime] * x).sum(1) + 0.1 * torch.randn(n, generator=gen)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    gen = torch.Generator().manual_seed(5)
    x, y = rotor(2000, gen)
    xv, yv = rotor(500, gen)
    model = GatedRegression(5, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(25):
        for idx in torch.randperm(2000).split(100):
            loss = (model(x[idx]) - y[idx]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 5 == 4:
            with torch.no_grad():
                val = (model(xv) - yv).pow(2).mean().item()
            print(f"epoch {epoch + 1} train {loss.item():.4f} val {val:.4f} var {yv.var().item():.3f}")
# cure: - self.softmax = nn.Softmax(dim=0)
# cure: + self.softmax = nn.Softmax(dim=1)
