# expect: scrambled-axes
# about: conv features (B, C, L) reshaped to (L, B, C) before pooling over L
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)


def motif(n, length=24):
    y = torch.randint(0, 5, (n,))
    x = 0.4 * torch.randn(n, 2, length)
    shapes = torch.sin(torch.arange(6.0)[None, None] * (torch.arange(5.0)[:, None, None] * 0.6 + 0.4) + torch.tensor([0.0, 1.5])[None, :, None])
    for i, s in enumerate(torch.randint(0, length - 6, (n,)).tolist()):
        x[i, :, s : s + 6] += 2 * shapes[y[i]]
    return x, y


class MotifNet(nn.Module):
    def __init__(self, channels=24):
        super().__init__()
        self.conv = nn.Conv1d(2, channels, 6)
        self.mix = nn.Linear(channels, channels)
        self.cls = nn.Linear(channels, 5)

    def forward(self, x):
        z = torch.relu(self.conv(x))
        b, c, l = z.shape
        z = z.reshape(l, b, c)
        return self.cls(torch.relu(self.mix(z)).amax(0))


Xt, yt = motif(1500)
Xv, yv = motif(300)
net = MotifNet()
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
for epoch in range(12):
    net.train()
    for i in torch.randperm(1500).split(50):
        loss = nn.functional.cross_entropy(net(Xt[i]), yt[i])
        opt.zero_grad(); loss.backward(); opt.step()
    net.eval()
    with torch.no_grad():
        o = torch.cat([net(c) for c in Xv.split(50)])
    print(epoch, round(loss.item(), 4), "val", round(nn.functional.cross_entropy(o, yv).item(), 4), "acc", round((o.argmax(1) == yv).float().mean().item(), 3))
# cure: - z = z.reshape(l, b, c)
# cure: + z = z.permute(2, 0, 1)
