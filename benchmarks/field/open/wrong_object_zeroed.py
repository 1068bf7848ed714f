# expect: missing-zero-grad
# about: encoder and decoder have an optimizer each; only the encoder's is zeroed
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
t = torch.linspace(0, 1, 40)


def curves(n):
    f, p = 1 + 3 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    return torch.sin(6.28 * f * t + p)


enc = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 4))
dec = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 40))
opt_e = torch.optim.SGD(enc.parameters(), lr=0.05, momentum=0.9)
opt_d = torch.optim.SGD(dec.parameters(), lr=0.05, momentum=0.9)
val = curves(300)
for step in range(1, 1001):
    x = curves(32)
    loss = ((dec(enc(x)) - x) ** 2).mean()
    opt_e.zero_grad()
    loss.backward()
    opt_e.step()
    opt_d.step()
    if step % 100 == 0:
        with torch.no_grad():
            print(f"step {step} loss {loss.item():.4f} val {((dec(enc(val)) - val) ** 2).mean().item():.4f}")
# cure: - opt_e.zero_grad()
# cure: + opt_e.zero_grad()
# cure: + opt_d.zero_grad()
