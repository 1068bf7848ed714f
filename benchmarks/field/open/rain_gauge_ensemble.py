# expect: eval-mode-missing
# about: rainfall regression by three small nets held in a list; averages compared on held-out days
import torch
import torch.nn as nn

torch.manual_seed(76)
torch.set_num_threads(1)


def days(n):
    x = torch.randn(n, 8)
    return x, torch.relu(x[:, 0] + x[:, 1] * x[:, 2]) + 0.5 * torch.sin(2 * x[:, 3]) + 0.1 * torch.randn(n)


def member():
    return nn.Sequential(nn.Linear(8, 96), nn.ReLU(), nn.Dropout(0.3), nn.Linear(96, 96), nn.ReLU(), nn.Dropout(0.3), nn.Linear(96, 1))


class Ensemble:
    def __init__(self, k=2):
        self.nets = [member() for _ in range(k)]
        self.opts = [torch.optim.Adam(n.parameters(), lr=2e-3) for n in self.nets]

    def mode(self, training):
        for n in self.nets:
            n.train(training)

    def update(self, x, y):
        out = []
        for n, o in zip(self.nets, self.opts):
            loss = nn.functional.mse_loss(n(x).squeeze(1), y)
            o.zero_grad()
            loss.backward()
            o.step()
            out.append(loss.item())
        return sum(out) / len(out)

    @torch.no_grad()
    def score(self, x, y):
        self.mode(training=True)
        return [nn.functional.mse_loss(n(x).squeeze(1), y).item() for n in self.nets]


x, y = days(2000)
xv, yv = days(500)
ens = Ensemble()
for epoch in range(20):
    ens.mode(training=True)
    tot = sum(ens.update(x[b], y[b]) for b in torch.randperm(2000).split(50)) / 40
    if epoch % 2:
        s = ens.score(xv, yv)
        print(f"epoch {epoch + 1} train {tot:.4f} held-out {' '.join(f'{v:.4f}' for v in s)} (variance {yv.var().item():.2f})")
# cure: - self.mode(training=True)
# cure: + self.mode(training=False)
