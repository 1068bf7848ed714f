# expect: low-precision
# also: unstable-math
# about: contrastive pretraining of gait windows in half precision, similarity loss written out
import torch
import torch.nn as nn

torch.manual_seed(81)
torch.set_num_threads(1)
T = 32
half = torch.float16


def walkers(n):
    f, p, k = 1 + 3 * torch.rand(n, 1), 6.283 * torch.rand(n, 1), torch.rand(n, 1)
    t = torch.linspace(0, 2, T)
    return torch.sin(6.283 * f * t + p) + k * torch.sin(12.566 * f * t), f.squeeze(1)


def view(x):
    return (torch.roll(x, int(torch.randint(0, T, ())), 1) * (0.7 + 0.6 * torch.rand(len(x), 1)) + 0.2 * torch.randn_like(x)).to(half)


def nt_xent(a, b, tau=0.07):
    z = torch.cat([a, b])
    z = z / z.norm(dim=1, keepdim=True)
    sim = torch.exp(z @ z.T / tau)
    n = len(a)
    pos = torch.cat([sim.diagonal(n), sim.diagonal(-n)])
    return -torch.log(pos / (sim.sum(1) - sim.diagonal())).mean()


net = nn.Sequential(nn.Linear(T, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 24)).to(half)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
probe, freq = walkers(600)


def nearest():
    with torch.no_grad():
        z = net(probe.to(half)).float()
    z = z / z.norm(dim=1, keepdim=True)
    s = z @ z.T
    s.fill_diagonal_(-2)
    return (freq[s.argmax(1)] - freq).abs().mean().item()


for step in range(1, 401):
    x, _ = walkers(64)
    loss = nt_xent(net(view(x)), net(view(x)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.3f} frequency error of nearest neighbour {nearest():.3f}")
# cure: - half = torch.float16
# cure: + half = torch.float32
