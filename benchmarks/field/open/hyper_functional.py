# expect: healthy
# about: hypernetwork: a code network writes the weights of a small regressor that runs by functional_call and vmap; the regressor's own weights never train
import torch
from torch import nn
from torch.func import functional_call, vmap

torch.manual_seed(0)
torch.set_num_threads(1)
target_net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for p in target_net.parameters():
    p.requires_grad_(False)
shapes = {k: p.shape for k, p in target_net.named_parameters()}
count = sum(s.numel() for s in shapes.values())
base = torch.cat([p.flatten() for p in target_net.parameters()])
hyper = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, count))


def unpack(flat):
    parts = flat.split([s.numel() for s in shapes.values()])
    return {k: v.view(s) for (k, s), v in zip(shapes.items(), parts)}


def run(flat, x):
    return functional_call(target_net, unpack(flat), (x,))


def tasks(n, points=20):
    code = torch.rand(n, 2) * 2 - 1
    x = torch.rand(n, points, 1) * 6 - 3
    y = (1 + 0.5 * code[:, :1, None]) * torch.sin(x + 1.5 * code[:, 1:, None])
    return code, x, y


opt = torch.optim.RAdam(hyper.parameters(), lr=3e-3)
val = tasks(200)
for it in range(1500):
    code, x, y = tasks(16)
    pred = vmap(run)(base + hyper(code), x)
    loss = nn.functional.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if (it + 1) % 150 == 0:
        with torch.no_grad():
            v = nn.functional.mse_loss(vmap(run)(base + hyper(val[0]), val[1]), val[2]).item()
        print(f"it {it + 1} train {loss.item():.5f} unseen curves {v:.5f} (their variance {val[2].var().item():.3f})")
