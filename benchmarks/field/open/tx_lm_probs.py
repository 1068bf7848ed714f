# expect: double-softmax
# about: small causal transformer whose head ends in softmax, trained with F.cross_entropy
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
text = open(nn.__file__).read() + open(torch.optim.__file__).read()
text = text[:12000]
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
cut = int(0.9 * len(ids))
V, T, D = len(chars), 32, 48


class CharLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.block = nn.TransformerEncoderLayer(D, 4, 2 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(D, V)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(T))

    def forward(self, x):
        h = self.tok(x) + self.pos.weight
        h = self.block(h, src_mask=self.mask, is_causal=True)
        return F.softmax(self.head(h), dim=-1)


def get_batch(src, n=24):
    s = torch.randint(0, len(src) - T - 1, (n,))
    return torch.stack([src[i : i + T] for i in s]), torch.stack([src[i + 1 : i + T + 1] for i in s])


lm = CharLM()
opt = torch.optim.AdamW(lm.parameters(), lr=2e-3)
for it in range(1, 301):
    x, y = get_batch(ids[:cut])
    loss = F.cross_entropy(lm(x).view(-1, V), y.view(-1))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
    opt.step()
    if it % 30 == 0:
        with torch.no_grad():
            x, y = get_batch(ids[cut:], 64)
            o = lm(x)
            print(f"iter {it}: train {loss.item():.3f} val {F.cross_entropy(o.view(-1, V), y.view(-1)).item():.3f} next-char acc {(o.argmax(-1) == y).float().mean().item():.3f}")
# cure: - return F.softmax(self.head(h), dim=-1)
# cure: + return self.head(h)
