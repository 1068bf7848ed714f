# expect: healthy
# about: neural ODE with a hand-written RK4 integrator fits a spiral from short windows
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(4)
TRUE = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


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


with torch.no_grad():
    truth = rk4(lambda v: v ** 3 @ TRUE, torch.tensor([[2.0, 0.0]]), 0.025, 800)[:, 0]


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
        for m in self.net:
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=0.1)
                nn.init.zeros_(m.bias)

    def forward(self, y):
        return self.net(y ** 3)


func = Field()
optimizer = torch.optim.Adam(func.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.985)
for it in range(1, 321):
    start = torch.randint(0, 768, (32,))
    window = torch.stack([truth[start + k] for k in range(33)])
    pred = rk4(func, window[0], 0.025, 32)
    loss = (pred - window).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % 40 == 0:
        with torch.no_grad():
            full = rk4(func, truth[:1], 0.025, 200)[:, 0]
            print(f"iter {it} window L1 {loss.item():.5f} rollout L1 {(full - truth[:201]).abs().mean():.4f}")
