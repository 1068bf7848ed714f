# expect: lr-too-high
# about: neural ODE fitted to a damped spiral with own RK4; Adam at 0.5
import math

import torch
from torch import nn

torch.manual_seed(2)
torch.set_num_threads(1)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
dt = 0.05


def rk4(f, y):
    k1 = f(y)
    k2 = f(y + dt / 2 * k1)
    k3 = f(y + dt / 2 * k2)
    k4 = f(y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


truth = [torch.tensor([[2.0, 0.0]])]
for _ in range(400):
    truth.append(rk4(lambda y: (y**3) @ A.T, truth[-1]))
truth = torch.cat(truth)

func = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
optim = torch.optim.Adam(func.parameters(), lr=0.5)
seen = []
for step in range(1, 401):
    s = torch.randint(0, 390, (32,))
    y = truth[s]
    loss = 0.0
    for j in range(1, 9):
        y = rk4(lambda z: func(z**3), y)
        loss = loss + (y - truth[s + j]).abs().mean() / 8
    optim.zero_grad()
    loss.backward()
    optim.step()
    seen.append(loss.item())
    if step % 50 == 0:
        print(f"step {step} loss {sum(seen[-50:]) / 50:.5f}")
assert math.isfinite(seen[0])
# cure: - optim = torch.optim.Adam(func.parameters(), lr=0.5)
# cure: + optim = torch.optim.Adam(func.parameters(), lr=0.01)
