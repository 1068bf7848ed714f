# expect: unstable-math
# about: the model divides each patch by its standard deviation; blank patches give a division by zero
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
n = 1800
y = torch.randint(0, 3, (n,))
base = torch.linspace(0, 6.28, 24)
wave = torch.stack([torch.sin(base), torch.sin(2 * base), torch.sin(3 * base)])[y]
x = wave * torch.rand(n, 1) + 0.1 * torch.randn(n, 24)
x[[311, 1207]] = 0.0


class PatchNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        x = x - x.mean(1, keepdim=True)
        x = x / x.std(1, keepdim=True)
        return self.net(x)


net = PatchNet()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
ce = nn.CrossEntropyLoss()
step = 0
while step < 600:
    idx = torch.randint(0, 1400, (32,))
    loss = ce(net(x[idx]), y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    step += 1
    if step % 60 == 0:
        with torch.no_grad():
            o = net(x[1400:])
            print(f"{step:4d}  loss {loss.item():.4f}  test loss {ce(o, y[1400:]).item():.4f} acc {(o.argmax(1) == y[1400:]).float().mean().item():.3f}")
# cure: - x = x / x.std(1, keepdim=True)
# cure: + x = x / (x.std(1, keepdim=True) + 1e-5)
