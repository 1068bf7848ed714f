# expect: healthy
# about: quantisation-aware training, 4-bit weights and 8-bit activations by straight-through estimator (round has zero gradient, passed on by hand), float warm-up first
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(48)


class FakeQuant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, lo, hi):
        q = (x / scale).round()
        ctx.save_for_backward((q >= lo) & (q <= hi))
        return q.clamp(lo, hi) * scale

    @staticmethod
    def backward(ctx, g):
        (inside,) = ctx.saved_tensors
        return g * inside, None, None, None


class QLinear(nn.Linear):
    bits_on = False

    def __init__(self, i, o):
        super().__init__(i, o)
        self.register_buffer("act_max", torch.tensor(1.0))

    def forward(self, x):
        if not QLinear.bits_on:
            return super().forward(x)
        if self.training:
            self.act_max.lerp_(x.detach().abs().max(), 0.05)
        x = FakeQuant.apply(x, self.act_max / 127, -128, 127)
        w = FakeQuant.apply(self.weight, self.weight.detach().abs().max() / 7, -8, 7)
        return F.linear(x, w, self.bias)


d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 16, torch.tensor(d.target)
p = torch.randperm(len(x))
xt, yt, xv, yv = x[p[:1350]], y[p[:1350]], x[p[1350:]], y[p[1350:]]
model = nn.Sequential(QLinear(64, 96), nn.ReLU(), nn.Dropout(0.2), QLinear(96, 48), nn.ReLU(), QLinear(48, 10))


def accuracy():
    model.eval()
    with torch.no_grad():
        a = (model(xv).argmax(1) == yv).float().mean().item()
    model.train()
    return a


def phase(name, epochs, lr):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for ep in range(epochs):
        run = 0.0
        for b in torch.randperm(1350).split(45):
            loss = F.cross_entropy(model(xt[b]), yt[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            run += loss.item() / 30
        sched.step()
        if ep % 4 == 3:
            print(f"{name} epoch {ep + 1} loss {run:.4f} val acc {accuracy():.4f}")


phase("float", 16, 3e-3)
QLinear.bits_on = True
for m in model:
    if isinstance(m, QLinear):
        m.act_max.fill_(4.0)
print(f"quantised without further training: {accuracy():.4f}")
phase("4 bit", 16, 1e-3)
