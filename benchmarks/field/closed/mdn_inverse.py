# expect: healthy
# about: mixture density network on an inverse problem, negative log likelihood goes below zero
import math
import torch
import torch.nn as nn

torch.manual_seed(21)
torch.set_num_threads(1)


class MDN(nn.Module):
    def __init__(self, hidden=32, K=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi, self.mu, self.log_sigma = nn.Linear(hidden, K), nn.Linear(hidden, K), nn.Linear(hidden, K)

    def forward(self, x):
        h = self.body(x)
        return torch.log_softmax(self.pi(h), -1), self.mu(h), self.log_sigma(h).clamp(-5, 2)


def nll(model, x, y):
    logpi, mu, ls = model(x)
    comp = -0.5 * ((y - mu) / ls.exp()) ** 2 - ls - 0.5 * math.log(2 * math.pi)
    return -torch.logsumexp(logpi + comp, dim=-1).mean()


def get_data(n):
    y = torch.rand(n, 1)
    x = y + 0.3 * torch.sin(2 * math.pi * y) + 0.02 * torch.randn(n, 1)
    return (x - 0.5) * 3, y


X, Y = get_data(3000)
Xv, Yv = get_data(1000)
model = MDN()
opt = torch.optim.RMSprop(model.parameters(), lr=3e-3, alpha=0.99)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [600, 850], gamma=0.2)
for i in range(1000):
    idx = torch.randint(0, len(X), (256,))
    loss = nll(model, X[idx], Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if (i + 1) % 100 == 0:
        with torch.no_grad():
            print("iter", i + 1, "train nll %.3f" % loss.item(), "held-out nll %.3f" % nll(model, Xv, Yv).item())
