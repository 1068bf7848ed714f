# expect: healthy
# about: momentum contrast on sensor windows: key encoder without gradients follows slowly, a queue of 1024 old keys, InfoNCE loss that starts low and rises as the queue fills
import copy
import math

import torch
import torch.nn.functional as F
from sklearn.linear_model import LogisticRegression
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(35)
T = 48


def motions(n):
    kind = torch.randint(0, 6, (n,))
    t = torch.arange(T) / T
    f = torch.tensor([1.0, 2.0, 3.0, 2.0, 4.0, 3.0])[kind][:, None] * (1 + 0.1 * torch.randn(n, 1))
    ph = 6.28 * torch.rand(n, 1)
    base = torch.sin(6.28 * f * t + ph)
    second = torch.where((kind % 2 == 0)[:, None], torch.cos(6.28 * f * t + ph), torch.sin(12.56 * f * t + ph))
    third = torch.where((kind >= 3)[:, None], base.abs(), torch.zeros_like(base) + base * 0.2)
    return torch.stack([base, second, third], 1) + 0.5 * torch.randn(n, 3, T), kind


def augment(x):
    s = int(torch.randint(0, T, ()))
    return x.roll(s, -1) * (1 + 0.3 * torch.randn(len(x), 3, 1)) + 0.2 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(3, 32, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(32, 64, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.head(self.conv(x)), dim=1)


X, y = motions(3000)
q_enc = Encoder()
k_enc = copy.deepcopy(q_enc).requires_grad_(False)
queue, filled, ptr, TEMP, M = torch.zeros(1024, 32), 0, 0, 0.2, 0.99
opt = torch.optim.SGD(q_enc.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
steps = 500
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 30) * 0.5 * (1 + math.cos(math.pi * s / steps)))


def probe(enc):
    with torch.no_grad():
        f = enc.conv(X).numpy()
    return LogisticRegression(max_iter=1000).fit(f[:300], y[:300]).score(f[2000:], y[2000:])


print(f"random encoder, linear probe {probe(q_enc):.3f}")
for step in range(1, steps + 1):
    b = torch.randint(0, 2000, (64,))
    q = q_enc(augment(X[b]))
    with torch.no_grad():
        for pq, pk in zip(q_enc.parameters(), k_enc.parameters()):
            pk.lerp_(pq, 1 - M)
        k = k_enc(augment(X[b]))
    if filled:
        logits, target = torch.cat([(q * k).sum(1, keepdim=True), q @ queue[:filled].T], 1) / TEMP, torch.zeros(64, dtype=torch.long)
    else:
        logits, target = q @ k.T / TEMP, torch.arange(64)
    loss = F.cross_entropy(logits, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    queue[ptr:ptr + 64] = k
    ptr, filled = (ptr + 64) % 1024, min(1024, filled + 64)
    if step % 50 == 0 or step in (5, 15):
        print(f"step {step} queue {filled} loss {loss.item():.4f} (ln {math.log(1 + filled):.2f})")
print(f"trained encoder, linear probe {probe(q_enc):.3f}, chance 0.167")
