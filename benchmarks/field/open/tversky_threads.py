# expect: healthy
# about: thin bright threads, 7 % of the pixels, Tversky loss that weighs misses more than false alarms; it stays well above zero
import torch
import torch.nn as nn

torch.manual_seed(21)
torch.set_num_threads(1)


def make_batch(n, size=24):
    t = torch.arange(size).float()
    a = torch.rand(n, 1) * 10 + 7
    b = torch.randn(n, 1) * 3
    row = (a + b * torch.sin(t / 4 + 6.28 * torch.rand(n, 1))).round().clamp(0, size - 2).long()
    mask = torch.zeros(n, size, size)
    mask.scatter_(1, row[:, None, :], 1.0)
    mask.scatter_(1, row[:, None, :] + 1, 1.0)
    return (1.3 * mask + 0.7 * torch.randn_like(mask)).unsqueeze(1), mask.unsqueeze(1)


class TverskyLoss(nn.Module):
    def __init__(self, alpha=0.3, beta=0.7, smooth=1.0):
        super().__init__()
        self.alpha, self.beta, self.smooth = alpha, beta, smooth

    def forward(self, logits, target):
        p = logits.sigmoid().flatten(1)
        t = target.flatten(1)
        tp = (p * t).sum(1)
        fp = (p * (1 - t)).sum(1)
        fn = ((1 - p) * t).sum(1)
        return (1 - (tp + self.smooth) / (tp + self.alpha * fp + self.beta * fn + self.smooth)).mean()


def conv(i, o, d=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=d, dilation=d), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))


model = nn.Sequential(conv(1, 12), conv(12, 12, 2), conv(12, 12, 4), nn.Conv2d(12, 1, 1))
loss_fn = TverskyLoss()
opt = torch.optim.NAdam(model.parameters(), lr=4e-3)
val_x, val_m = make_batch(120)
smooth = None
for step in range(1, 261):
    model.train()
    x, m = make_batch(12)
    loss = loss_fn(model(x), m)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    smooth = loss.item() if smooth is None else 0.95 * smooth + 0.05 * loss.item()
    if step % 26 == 0:
        model.eval()
        with torch.no_grad():
            o = model(val_x)
            p = o > 0
            tp = (p & (val_m > 0)).sum().item()
            dice = 2 * tp / (p.sum().item() + val_m.sum().item())
        print(f"step {step:4d} tversky {smooth:.4f} val {loss_fn(o, val_m).item():.4f} dice {dice:.3f} recall {tp / val_m.sum().item():.3f}")
