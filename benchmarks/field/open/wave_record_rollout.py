# expect: target-leakage
# about: convolutional next-step forecaster of a wave record, then rolled forward on its own output
import torch
import torch.nn as nn

torch.manual_seed(2)
torch.set_num_threads(1)


class ConvForecaster(nn.Module):
    """For each time step the value of the next one."""

    def __init__(self, width=24):
        super().__init__()
        pad = lambda d: nn.ConstantPad1d((d, d), 0.0)
        self.net = nn.Sequential(
            pad(1), nn.Conv1d(1, width, 3), nn.ReLU(),
            pad(2), nn.Conv1d(width, width, 3, dilation=2), nn.ReLU(),
            pad(4), nn.Conv1d(width, width, 3, dilation=4), nn.ReLU(),
            nn.Conv1d(width, 1, 1),
        )

    def forward(self, x):
        return self.net(x.unsqueeze(1)).squeeze(1)


def waves(n, length=65):
    t = torch.arange(length, dtype=torch.float32)
    w1, w2 = 0.25 + 0.1 * torch.rand(n, 1), 0.6 + 0.2 * torch.rand(n, 1)
    return torch.sin(w1 * t + 6.28 * torch.rand(n, 1)) + 0.5 * torch.sin(w2 * t + 6.28 * torch.rand(n, 1)) + 0.03 * torch.randn(n, length)


@torch.no_grad()
def roll_forward(model, series, start=48):
    known = series[:, :start]
    while known.size(1) < series.size(1):
        known = torch.cat([known, model(known)[:, -1:]], dim=1)
    return (known[:, start:] - series[:, start:]).pow(2).mean().item()


model = ConvForecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
train, test = waves(400), waves(80)
for epoch in range(30):
    for idx in torch.randperm(400).split(40):
        series = train[idx]
        loss = nn.functional.mse_loss(model(series[:, :-1]), series[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} one-step mse {loss.item():.5f} rolled-out mse {roll_forward(model, test):.4f} (variance {test.var().item():.3f})")
# cure: - pad = lambda d: nn.ConstantPad1d((d, d), 0.0)
# cure: + pad = lambda d: nn.ConstantPad1d((2 * d, 0), 0.0)
