# expect: broadcast-loss
# about: wind speed with a predicted mean and spread, Gaussian likelihood written out, numpy batches
import numpy as np
import torch

torch.manual_seed(39)
np.random.seed(39)
torch.set_num_threads(1)
n = 3000
hour = np.random.uniform(0, 24, n)
press = np.random.randn(n)
speed = 0.9 * np.sin(2 * np.pi * hour / 24) + 0.6 * press + (0.1 + 0.2 * (hour > 12)) * np.random.randn(n)
feat = np.stack([np.sin(2 * np.pi * hour / 24), np.cos(2 * np.pi * hour / 24), press], 1).astype("float32")
speed = speed.astype("float32")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(3, 40), torch.nn.Tanh(), torch.nn.Linear(40, 40), torch.nn.Tanh())
        self.mean, self.logstd = torch.nn.Linear(40, 1), torch.nn.Linear(40, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.logstd(h).clamp(-4, 3)


def likelihood(mean, logstd, target):
    return (logstd + 0.5 * ((target - mean) / logstd.exp()) ** 2).mean()


net = Net()
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
xv, yv = torch.from_numpy(feat[2400:]), torch.from_numpy(speed[2400:])
for epoch in range(12):
    rows = np.random.permutation(2400)
    for k in range(0, 2400, 48):
        i = rows[k : k + 48]
        loss = likelihood(*net(torch.from_numpy(feat[i])), torch.from_numpy(speed[i]))
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        m, s = net(xv)
        rmse = (m[:, 0] - yv).pow(2).mean().sqrt().item()
    print(f"epoch {epoch + 1} nll {loss.item():.3f} val rmse {rmse:.3f} mean spread {s.exp().mean().item():.3f}")
# cure: - return (logstd + 0.5 * ((target - mean) / logstd.exp()) ** 2).mean()
# cure: + return (logstd + 0.5 * ((target.unsqueeze(1) - mean) / logstd.exp()) ** 2).mean()
