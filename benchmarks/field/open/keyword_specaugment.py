# expect: healthy
# about: keyword spotting on synthetic chirps, log-spectrograms, SpecAugment and dropout so that the training loss stays above the validation loss
import math

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(40)
RATE, N = 2000, 2000
t = torch.arange(N) / RATE


def utter(n):
    y = torch.randint(0, 6, (n,))
    f0 = 150 + 350 * torch.rand(n, 1)
    shift = 0.15 * torch.rand(n, 1)
    u = (t[None] - shift).clamp(min=0)
    kinds = [f0 + 0 * u, f0 + 300 * u, f0 + 300 * (1 - u), f0 + 120 * torch.sign(torch.sin(2 * math.pi * 4 * u)), f0 + 100 * torch.sin(2 * math.pi * 3 * u), f0 + 250 * (u - 0.5).abs() * 2]
    freq = torch.stack(kinds, 1)[torch.arange(n), y]
    wave = torch.sin(2 * math.pi * freq.cumsum(1) / RATE) * torch.exp(-((t - 0.5) / 0.35) ** 2)
    return wave + 0.5 * torch.randn(n, N), y


def logspec(w):
    s = torch.stft(w, 64, hop_length=64, window=torch.hann_window(64), return_complex=True).abs()
    return (s.pow(2) + 1e-2).log().unsqueeze(1)


def spec_augment(x):
    x = x.clone()
    for k in range(len(x)):
        f, s = int(torch.randint(0, 28, ())), int(torch.randint(0, 25, ()))
        x[k, :, f:f + int(torch.randint(0, 6, ()))] = 0
        x[k, :, :, s:s + int(torch.randint(0, 7, ()))] = 0
    return x


wtr, ytr = utter(900)
wva, yva = utter(400)
xtr, xva = logspec(wtr), logspec(wva)
m, s = xtr.mean(), xtr.std()
xtr, xva = (xtr - m) / s, (xva - m) / s
net = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.2),
    nn.Conv2d(32, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(48 * 4 * 4, 6))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.02)
epochs = 10
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
for ep in range(epochs):
    net.train()
    tot = 0.0
    for b in torch.randperm(900).split(45):
        loss = nn.functional.cross_entropy(net(spec_augment(xtr[b])), ytr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 20
    sch.step()
    net.eval()
    with torch.no_grad():
        o = net(xva)
    print(f"epoch {ep:2d} train loss {tot:.4f} val loss {nn.functional.cross_entropy(o, yva):.4f} val acc {(o.argmax(1) == yva).float().mean():.4f}")
