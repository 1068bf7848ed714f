# expect: no-warmup
# also: lr-too-high
# about: deep post-norm transformer encoder with Adam, token translation by position, rate falls with the inverse root of the step
import torch
from torch import nn

torch.manual_seed(60)
torch.set_num_threads(1)
V, L, D, LAYERS, STEPS = 24, 10, 32, 8, 200
table = torch.randint(0, V, (L, V))


def batch(n):
    x = torch.randint(0, V, (n, L))
    rev = x.flip(1)
    return x, torch.stack([table[i][rev[:, i]] for i in range(L)], dim=1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Parameter(torch.randn(L, D))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(D, 4, 64, dropout=0.0, batch_first=True) for _ in range(LAYERS))
        self.out = nn.Linear(D, V)

    def forward(self, x):
        h = self.tok(x) + self.pos
        for layer in self.layers:
            h = layer(h)
        return self.out(h)


PEAK = 1.2e-2
model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=PEAK, betas=(0.9, 0.98))
ramp = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, 100 / (s + 1)) ** 0.5)
for step in range(1, STEPS + 1):
    x, y = batch(32)
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ramp.step()
    if step % 50 == 0:
        with torch.no_grad():
            x, y = batch(200)
            o = model(x)
        print(f"step {step} loss {loss.item():.4f} eval {nn.functional.cross_entropy(o.flatten(0, 1), y.flatten()).item():.4f} acc {(o.argmax(-1) == y).float().mean().item():.3f}")
# cure: - ramp = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, 100 / (s + 1)) ** 0.5)
# cure: + ramp = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min((s + 1) / 100, (100 / (s + 1)) ** 0.5))
