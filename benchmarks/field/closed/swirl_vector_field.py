# expect: healthy
# about: neural ODE with a hand-written RK4 solver on spirals, multiple shooting over short segments
import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(0)
true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
dt = 0.05


def rk4(f, y, n):
    out = [y]
    for _ in range(n):
        k1 = f(y)
        k2 = f(y + dt / 2 * k1)
        k3 = f(y + dt / 2 * k2)
        k4 = f(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out.append(y)
    return torch.stack(out)


with torch.no_grad():
    traj = rk4(lambda y: y @ true_A.T * (1 + 0.3 * torch.sin(y[:, :1])), torch.tensor([[2.0, 0.0]]), 200)[:, 0]


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
        for m in self.net:
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=0.1)
                nn.init.zeros_(m.bias)

    def forward(self, y):
        return self.net(y)


func = ODEFunc()
opt = torch.optim.Adam(func.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.99)
SEG = 10
ema = None
for itr in range(1, 351):
    start = torch.randint(0, len(traj) - SEG, (32,))
    target = torch.stack([traj[start + i] for i in range(SEG + 1)])
    pred = rk4(func, traj[start], SEG)
    loss = (pred - target).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    ema = loss.item() if ema is None else 0.97 * ema + 0.03 * loss.item()
    if itr % 35 == 0:
        with torch.no_grad():
            full = (rk4(func, traj[:1], 200)[:, 0] - traj).abs().mean()
        print(f"Iter {itr:04d} | segment L1 (ema) {ema:.4f} | whole trajectory L1 {full.item():.4f}")
