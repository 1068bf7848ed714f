# expect: detached-graph
# about: audio frame classifier with a spectral mixing layer that calls numpy's FFT
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(2)
torch.set_num_threads(1)
T = 64


def tones(n):
    label = torch.randint(0, 6, (n,))
    t = torch.arange(T) / T
    f1 = (label % 3) * 5 + 4.0
    f2 = (label // 3) * 4 + 20.0
    ph = 6.28 * torch.rand(2, n, 1)
    x = torch.sin(6.28 * f1[:, None] * t + ph[0]) * torch.sin(6.28 * f2[:, None] * t + ph[1])
    return x + 0.7 * torch.randn(n, T), label


class SpectralMix(nn.Module):
    def forward(self, h):
        spec = np.abs(np.fft.rfft(h.detach().numpy(), axis=-1)).astype(np.float32)
        return torch.from_numpy(np.log1p(spec))


class Net(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(1, ch, 9, padding=4), nn.Tanh(), nn.Conv1d(ch, ch, 9, padding=4))
        self.mix = SpectralMix()
        self.back = nn.Linear(ch, 6)

    def forward(self, x):
        return self.back(self.mix(self.front(x.unsqueeze(1))).amax(-1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
xt, yt = tones(1200)
xv, yv = tones(600)
for epoch in range(12):
    net.train()
    s = 0.0
    for b in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(xt[b]), yt[b])
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(xv).argmax(1) == yv).float().mean()
    print(f"epoch {epoch + 1:2d} loss {s / 30:.3f} val acc {acc:.3f}")
# cure: - spec = np.abs(np.fft.rfft(h.detach().numpy(), axis=-1)).astype(np.float32)
# cure: + spec = torch.fft.rfft(h, dim=-1).abs()
# cure: - return torch.from_numpy(np.log1p(spec))
# cure: + return torch.log1p(spec)
