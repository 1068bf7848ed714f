# expect: exploding-gradients
# also: lr-too-high
# about: learned dynamics model of a driven oscillator trained through its own rollout
import torch
import torch.nn as nn

torch.manual_seed(27)
torch.set_num_threads(1)
H, D = 16, 4
A = torch.linalg.qr(torch.randn(D, D))[0] * 0.995


def trajectories(n):
    s, xs, us = torch.randn(n, D), [], []
    for _ in range(H + 1):
        xs.append(s)
        u = 0.3 * torch.randn(n, 2)
        us.append(u)
        s = s @ A + torch.cat([u, u * s[:, :2]], 1) @ torch.eye(4, D)
    return torch.stack(xs, 1), torch.stack(us, 1)


class Dynamics(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.f1, self.f2, self.f3 = nn.Linear(D + 2, h), nn.Linear(h, h), nn.Linear(h, D)
        for l in (self.f1, self.f2):
            nn.init.kaiming_normal_(l.weight, nonlinearity="relu")

    def forward(self, s, u):
        z = torch.relu(self.f1(torch.cat([s, u], 1)))
        return s + self.f3(torch.relu(self.f2(z)))


model = Dynamics()
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
vx, vu = trajectories(64)


def rollout_loss(xs, us):
    s, total = xs[:, 0], 0.0
    for t in range(H):
        s = model(s, us[:, t])
        total = total + ((s - xs[:, t + 1]) ** 2).mean()
    return total / H


for it in range(1, 601):
    loss = rollout_loss(*trajectories(16))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            print(f"iter {it} rollout mse {loss.item():.4g} val {rollout_loss(vx, vu).item():.4g}")
# cure: - loss.backward()
# cure: + loss.backward()
# cure: + nn.utils.clip_grad_norm_(model.parameters(), 1.0)
