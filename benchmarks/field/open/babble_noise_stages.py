# expect: healthy
# about: curriculum over noise: each stage lowers the signal-to-noise ratio, so the training loss climbs stage by stage while the score at the hardest ratio improves
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(97)
torch.set_num_threads(1)
CLASSES, LEN = 8, 96
pitch = torch.linspace(0.25, 0.95, CLASSES)


def clips(n, snr_db):
    y = torch.randint(0, CLASSES, (n,))
    t = torch.arange(LEN)
    phase = 2 * math.pi * torch.rand(n, 1)
    clean = torch.sin(pitch[y][:, None] * t + phase) * (0.6 + 0.4 * torch.sin(0.07 * t + 6.28 * torch.rand(n, 1)))
    noise = torch.randn(n, LEN) * 10 ** (-snr_db / 20) * 0.5
    x = clean + noise
    return (x / x.std(1, keepdim=True))[:, None], y


net = nn.Sequential(
    nn.Conv1d(1, 32, 49, padding=24, stride=3), nn.BatchNorm1d(32), nn.ReLU(),
    nn.Conv1d(32, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(),
    nn.AdaptiveAvgPool1d(2), nn.Flatten(), nn.Linear(64, CLASSES),
)
hard_x, hard_y = clips(1500, -6)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.01)
STAGES = [10, 4, 0, -3, -6]
STEPS = 110
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS * len(STAGES))
for snr in STAGES:
    net.train()
    recent = []
    for step in range(STEPS):
        x, y = clips(64, snr)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        recent.append(loss.item())
        if step % 55 == 54:
            print(f"snr {snr:3d} dB step {step + 1} loss {sum(recent[-30:]) / 30:.4f}")
    net.eval()
    with torch.no_grad():
        out = net(hard_x)
    print(f"snr {snr:3d} dB done: at -6 dB loss {F.cross_entropy(out, hard_y).item():.4f} acc {(out.argmax(1) == hard_y).float().mean():.4f}")
t = torch.arange(LEN)
wave = pitch[:, None] * t
bank = (hard_x.squeeze(1) @ wave.cos().T) ** 2 + (hard_x.squeeze(1) @ wave.sin().T) ** 2
print(f"textbook filter bank at -6 dB: acc {(bank.argmax(1) == hard_y).float().mean():.4f}")
