# expect: healthy
# about: neural ODE with a hand-written RK4 integrator learns a damped pendulum from many short trajectories
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(4)


def pendulum(s):
    return torch.stack([s[..., 1], -2.0 * torch.sin(s[..., 0]) - 0.2 * s[..., 1]], -1)


def rk4(f, y, dt, steps):
    path = [y]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(y)
    return torch.stack(path)


def initial(n):
    return torch.stack([2 * (2 * torch.rand(n) - 1), 1 * (2 * torch.rand(n) - 1)], -1)


train = rk4(pendulum, initial(200), 0.1, 50)
test = rk4(pendulum, initial(50), 0.1, 50)
func = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 50), nn.Tanh(), nn.Linear(50, 2))
optimizer = torch.optim.Adam(func.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 500)
for it in range(1, 501):
    t0 = int(torch.randint(0, 40, ()))
    who = torch.randint(0, 200, (64,))
    window = train[t0:t0 + 11, who]
    loss = (rk4(func, window[0], 0.1, 10) - window).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % 50 == 0:
        with torch.no_grad():
            err = (rk4(func, test[0], 0.1, 50) - test).abs().mean()
        print(f"iter {it} window MSE {loss.item():.5f} rollout L1 {err:.4f}")
