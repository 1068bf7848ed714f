# expect: exploding-gradients
# also: init-too-large
import torch

torch.manual_seed(123)
N_IN, N_H, T = 2, 64, 40


def make_batch(n):
    """adding problem: two marked numbers in a sequence"""
    vals = torch.rand(n, T)
    mark = torch.zeros(n, T)
    a = torch.randint(0, T // 2, (n,))
    b = torch.randint(T // 2, T, (n,))
    mark[torch.arange(n), a] = 1
    mark[torch.arange(n), b] = 1
    y = (vals * mark).sum(1, keepdim=True)
    return torch.stack([vals, mark], -1), y


def init_params():
    p = {
        "Wx": torch.randn(N_IN, N_H) * 0.3,
        "Wh": torch.eye(N_H) + torch.randn(N_H, N_H) * 0.2,
        "bh": torch.zeros(N_H),
        "Wo": torch.randn(N_H, 1) / N_H ** 0.5,
        "bo": torch.zeros(1),
    }
    for v in p.values():
        v.requires_grad_(True)
    return p


def forward(p, x):
    h = torch.zeros(x.shape[0], N_H)
    for t in range(x.shape[1]):
        h = torch.relu(x[:, t] @ p["Wx"] + h @ p["Wh"] + p["bh"])
    return h @ p["Wo"] + p["bo"]


params = init_params()
opt = torch.optim.Adam(params.values(), lr=1e-3)
curve = []
for it in range(800):
    x, y = make_batch(64)
    loss = ((forward(params, x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    curve.append(loss.item())
    if it % 100 == 0:
        print(it, curve[-1])

x, y = make_batch(2000)
with torch.no_grad():
    mse = ((forward(params, x) - y) ** 2).mean().item()
print("mse", mse, "| predicting 1.0 gives", ((y - 1) ** 2).mean().item())
