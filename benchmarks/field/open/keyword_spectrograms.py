# expect: train-val-mismatch
# about: keyword spotting on spectrograms, training clips as floats with noise, evaluation clips from a 16-bit store
import torch
import torch.nn as nn

torch.manual_seed(58)
torch.set_num_threads(1)
CLASSES = 5


def waves(n):
    y = torch.randint(0, CLASSES, (n,))
    t = torch.arange(512) / 512
    f = 20 + 25.0 * y[:, None] + 3 * torch.randn(n, 1)
    sweep = torch.where(y[:, None] % 2 == 0, 20.0, -15.0)
    w = torch.sin(6.283 * (f * t + sweep * t**2)) * torch.exp(-((t - 0.3 - 0.4 * torch.rand(n, 1)) ** 2) / 0.03)
    return w + 0.3 * torch.randn(n, 512), y


def spec(w):
    return torch.stft(w, 64, 32, window=torch.hann_window(64), return_complex=True).abs()


def train_transform(w):
    s = torch.log1p(10 * spec(w + 0.05 * torch.randn_like(w)))
    return ((s - 2.5) / 1.0).unsqueeze(1)


def eval_transform(w):
    w = w.float()
    return (torch.log1p(10 * spec(w)) - 2.5).unsqueeze(1)


class KWS(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(1, 12, 3, 2), nn.ReLU(), nn.Conv2d(12, 24, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(CLASSES))

    def forward(self, x):
        return self.f(x)


w, y = waves(900)
vw, vy = waves(300)
vw = (vw * 8192).clamp(-32768, 32767).short()
net = KWS()
net(train_transform(w[:2]))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(9):
    net.train()
    tot = 0.0
    for b in torch.randperm(900).split(30):
        loss = nn.functional.cross_entropy(net(train_transform(w[b])), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        o = net(eval_transform(vw))
    print(f"epoch {epoch + 1} train loss {tot / 30:.3f} val loss {nn.functional.cross_entropy(o, vy):.3f} val acc {(o.argmax(1) == vy).float().mean():.3f}")
# cure: - w = w.float()
# cure: + w = w.float() / 8192
