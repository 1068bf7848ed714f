# expect: undertrained
# also: lr-too-low
# about: transformer that sorts digit strings, stopped after 150 updates for lack of patience
import torch
import torch.nn as nn

torch.manual_seed(3)
torch.set_num_threads(1)
L, V = 8, 10


class Sorter(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.tok = nn.Embedding(V, d)
        self.pos = nn.Parameter(torch.randn(L, d) * 0.02)
        layer = nn.TransformerEncoderLayer(d, 4, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(d, V)

    def forward(self, x):
        return self.head(self.enc(self.tok(x) + self.pos))


def batches(n, size=64):
    for _ in range(n):
        x = torch.randint(0, V, (size, L))
        yield x, x.sort(dim=1).values


steps = 150
model = Sorter()
opt = torch.optim.Adam(model.parameters(), lr=4e-4)
xv, yv = next(batches(1, 256))
for n, (x, y) in enumerate(batches(steps), 1):
    loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if n % (steps // 10) == 0:
        with torch.no_grad():
            o = model(xv)
            print(f"{n}: train {loss.item():.3f} val {nn.functional.cross_entropy(o.transpose(1, 2), yv).item():.3f} token acc {(o.argmax(-1) == yv).float().mean():.3f}")
# cure: - steps = 150
# cure: + steps = 600
