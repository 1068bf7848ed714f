# expect: no-warmup
# also: lr-too-high
# about: six-layer post-norm encoder on a token mapping task, full Adam rate from the first step
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(5)
V, T, STEPS = 16, 8, 300


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.att = nn.MultiheadAttention(d, h, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        x = self.n1(x + self.att(x, x, x, need_weights=False)[0])
        return self.n2(x + self.ff(x))


class Translator(nn.Module):
    def __init__(self, d=32, depth=6):
        super().__init__()
        self.emb, self.pos = nn.Embedding(V, d), nn.Parameter(torch.randn(T, d) * 0.5)
        self.layers = nn.Sequential(*[Layer(d, 4) for _ in range(depth)])
        self.out = nn.Linear(d, V)

    def forward(self, x):
        return self.out(self.layers(self.emb(x) + self.pos))


def get(n):
    x = torch.randint(V, (n, T))
    return x, (x.flip(1) + 3) % V


model = Translator()
opt = torch.optim.Adam(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
for step in range(1, STEPS + 1):
    x, y = get(64)
    loss = F.cross_entropy(model(x).transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 30 == 0 or step < 4:
        with torch.no_grad():
            x, y = get(200)
            acc = (model(x).argmax(-1) == y).float().mean().item()
        print(f"step {step:4d} loss {loss.item():.3f} token acc {acc:.3f}")
# cure: - sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0)
# cure: + sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 100))
