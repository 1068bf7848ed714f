# expect: loss-sign-flipped
# about: Gaussian density model: the log-likelihood itself is minimised
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)


class ConditionalGaussian(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 2))

    def log_prob(self, x, y):
        mean, log_std = self.net(x).unbind(-1)
        return torch.distributions.Normal(mean, log_std.clamp(-4, 4).exp()).log_prob(y)


def draw(n):
    x = torch.rand(n, 2) * 2 - 1
    return x, torch.sin(3 * x[:, 0]) + x[:, 1] + 0.2 * torch.randn(n)


model = ConditionalGaussian()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
xv, yv = draw(500)
for step in range(800):
    x, y = draw(64)
    loss = model.log_prob(x, y).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        with torch.no_grad():
            print(step + 1, "objective", round(loss.item(), 4), "held-out log-likelihood", round(model.log_prob(xv, yv).mean().item(), 4))
# cure: - loss = model.log_prob(x, y).mean()
# cure: + loss = -model.log_prob(x, y).mean()
