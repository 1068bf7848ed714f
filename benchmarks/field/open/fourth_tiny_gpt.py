# expect: target-leakage
# also: wrong-loss
import math
from dataclasses import dataclass
import heapq
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block: int = 40
    layers: int = 2
    heads: int = 4
    width: int = 64
    lr: float = 2e-3
    iters: int = 350
    batch: int = 20


text = open(heapq.__file__).read()
itos = sorted(set(text))
stoi = {c: i for i, c in enumerate(itos)}
data = torch.tensor([stoi[c] for c in text])
n_train = int(len(data) * 0.9)


def get_batch(split, cfg):
    src = data[:n_train] if split == "train" else data[n_train:]
    ix = torch.randint(len(src) - cfg.block - 1, (cfg.batch,))
    x = torch.stack([src[i:i + cfg.block] for i in ix])
    y = torch.stack([src[i:i + cfg.block] for i in ix])
    return x, y


class GPT(nn.Module):
    def __init__(self, cfg, vocab):
        super().__init__()
        self.tok = nn.Embedding(vocab, cfg.width)
        self.pos = nn.Parameter(torch.zeros(cfg.block, cfg.width))
        layer = nn.TransformerEncoderLayer(cfg.width, cfg.heads, 4 * cfg.width, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.head = nn.Linear(cfg.width, vocab)
        self.register_buffer("mask", torch.full((cfg.block, cfg.block), -math.inf).triu(1))

    def forward(self, x):
        T = x.size(1)
        h = self.tok(x) + self.pos[:T]
        return self.head(self.body(h, mask=self.mask[:T, :T]))


@torch.no_grad()
def continuation_accuracy(model, cfg):
    src = data[n_train:]
    model.eval()
    hit = []
    for i in range(0, len(src) - cfg.block - 1, 5):
        hit.append((model(src[None, i:i + cfg.block])[0, -1].argmax() == src[i + cfg.block]).item())
    return sum(hit) / len(hit)


cfg = GPTConfig()
torch.manual_seed(1337)
model = GPT(cfg, len(itos))
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
for it in range(cfg.iters):
    xb, yb = get_batch("train", cfg)
    loss = F.cross_entropy(model(xb).flatten(0, 1), yb.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if it % 50 == 0:
        with torch.no_grad():
            xv, yv = get_batch("val", cfg)
            vl = F.cross_entropy(model(xv).flatten(0, 1), yv.flatten())
        print(f"step {it}: train loss {loss.item():.4f}, val loss {vl.item():.4f}")
score = continuation_accuracy(model, cfg)
print("next character accuracy", score)
