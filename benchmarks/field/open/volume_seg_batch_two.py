# expect: batchnorm-tiny-batch
# about: 3-d volume segmentation, batch of two because of memory, batch norm after each convolution
import torch
import torch.nn as nn

torch.manual_seed(79)
torch.set_num_threads(1)
S = 10
g = torch.stack(torch.meshgrid(*[torch.arange(S).float()] * 3, indexing="ij"))


def volumes(n):
    c = 2 + (S - 4) * torch.rand(n, 3, 1, 1, 1)
    r = 1.2 + 3.2 * torch.rand(n, 1, 1, 1)
    mask = (((g - c) ** 2).sum(1) < r**2).float()
    gain = torch.exp(0.25 * torch.randn(n, 1, 1, 1))
    bias = 0.4 * torch.randn(n, 1, 1, 1)
    return ((mask + 0.5 * torch.randn(n, S, S, S)) * gain + bias).unsqueeze(1), mask


def norm(c):
    return nn.BatchNorm3d(c)


def conv(i, o):
    return nn.Sequential(nn.Conv3d(i, o, 3, padding=1), norm(o), nn.ReLU())


class VolNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.pre = norm(1)
        self.a, self.b, self.out = conv(1, 10), conv(10, 10), nn.Conv3d(10, 1, 1)

    def forward(self, x):
        return self.out(self.b(self.a(self.pre(x)))).squeeze(1)


def dice(logit, m):
    p = (logit > 0).float()
    return (2 * (p * m).sum() / (p.sum() + m.sum() + 1)).item()


net = VolNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
xv, mv = volumes(40)
for it in range(1, 401):
    net.train()
    x, m = volumes(2)
    out = net(x)
    loss = nn.functional.binary_cross_entropy_with_logits(out, m)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        net.eval()
        with torch.no_grad():
            o = net(xv)
        print(f"it {it} loss {loss.item():.3f} train dice {dice(out, m):.3f} val loss {nn.functional.binary_cross_entropy_with_logits(o, mv):.3f} dice {dice(o, mv):.3f}")
# cure: - return nn.BatchNorm3d(c)
# cure: + return nn.GroupNorm(1, c)
