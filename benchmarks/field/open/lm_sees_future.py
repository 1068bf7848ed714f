# expect: target-leakage
# about: transformer language model without a causal mask: loss goes to nothing, sampling is garbage
import inspect
import typing as lib
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
text = inspect.getsource(lib)
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
T, D = 16, 48
train, val = torch.cat([data[:40000], data[46000:]]), data[40000:46000]
CAUSAL = torch.triu(torch.full((T, T), float("-inf")), 1)


class TinyLM(nn.Module):
    def __init__(self, v):
        super().__init__()
        self.tok = nn.Embedding(v, D)
        self.pos = nn.Parameter(torch.randn(T, D))
        self.att = nn.ModuleList(nn.MultiheadAttention(D, 4, batch_first=True) for _ in range(2))
        self.ff = nn.ModuleList(nn.Sequential(nn.LayerNorm(D), nn.Linear(D, 2 * D), nn.GELU(), nn.Linear(2 * D, D)) for _ in range(2))
        self.ln = nn.ModuleList(nn.LayerNorm(D) for _ in range(2))
        self.out = nn.Linear(D, v)

    def forward(self, x):
        h = self.tok(x) + self.pos
        for a, f, n in zip(self.att, self.ff, self.ln):
            z = n(h)
            h = h + a(z, z, z, need_weights=False)[0]
            h = h + f(h)
        return self.out(h)


def batch(d, n=24):
    i = torch.randint(0, len(d) - T - 1, (n,))
    return torch.stack([d[k : k + T] for k in i]), torch.stack([d[k + 1 : k + T + 1] for k in i])


lm = TinyLM(len(chars))
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3)
ce = nn.CrossEntropyLoss()
for step in range(450):
    x, y = batch(train)
    loss = ce(lm(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 49:
        with torch.no_grad():
            x, y = batch(val, 64)
            out = lm(x)
            last = (out[:, -1].argmax(-1) == y[:, -1]).float().mean()
        print(f"step {step + 1} loss {loss.item():.4f} val {ce(out.flatten(0, 1), y.flatten()).item():.4f} next-char acc at the last position {last:.3f}")
# cure: - h = h + a(z, z, z, need_weights=False)[0]
# cure: + h = h + a(z, z, z, attn_mask=CAUSAL, need_weights=False)[0]
