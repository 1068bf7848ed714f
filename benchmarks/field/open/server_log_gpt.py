# expect: healthy
# about: small GPT on templated server log lines, warmup and cosine, clipping at 1.0; ends near the entropy of the free fields
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)
torch.set_num_threads(1)
rng = random.Random(11)


def line():
    kind = rng.choice("abc")
    if kind == "a":
        return f"GET /item/{rng.randrange(100):02d} {rng.choice(['200', '200', '200', '404'])} {rng.randrange(10)}ms\n"
    if kind == "b":
        u = rng.choice(["anna", "bert", "carl", "dora"])
        return f"login {u} from 10.0.{rng.randrange(4)}.{rng.randrange(10)}\n"
    return f"cron {rng.choice(['backup', 'rotate', 'digest'])} {rng.choice(['ok', 'ok', 'fail'])} in {rng.randrange(10)}s\n"


corpus = "".join(line() for _ in range(9000))
held = "".join(line() for _ in range(600))
chars = sorted(set(corpus))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in corpus])
val = torch.tensor([stoi[c] for c in held])
BLOCK, DIM, HEADS, DEPTH = 40, 48, 4, 2


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(DIM, 3 * DIM)
        self.out = nn.Linear(DIM, DIM)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (z.view(b, t, HEADS, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, DIM))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.att, self.n2 = nn.LayerNorm(DIM), Attention(), nn.LayerNorm(DIM)
        self.mlp = nn.Sequential(nn.Linear(DIM, 4 * DIM), nn.GELU(), nn.Linear(4 * DIM, DIM))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        return x + self.mlp(self.n2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(chars), DIM), nn.Embedding(BLOCK, DIM)
        self.layers = nn.Sequential(*[Layer() for _ in range(DEPTH)])
        self.norm, self.head = nn.LayerNorm(DIM), nn.Linear(DIM, len(chars), bias=False)

    def forward(self, idx):
        return self.head(self.norm(self.layers(self.tok(idx) + self.pos(torch.arange(idx.shape[1])))))


def batch(source, n):
    starts = torch.randint(0, len(source) - BLOCK - 1, (n,))
    chunk = torch.stack([source[s : s + BLOCK + 1] for s in starts])
    return chunk[:, :-1], chunk[:, 1:]


model = GPT()
STEPS, WARM = 480, 40
opt = torch.optim.AdamW(model.parameters(), lr=5e-3, betas=(0.9, 0.95), weight_decay=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / WARM, 0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * min(1.0, s / STEPS)))))
for step in range(STEPS):
    x, y = batch(data, 16)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 60 == 59:
        model.eval()
        with torch.no_grad():
            vx, vy = batch(val, 32)
            vloss = F.cross_entropy(model(vx).flatten(0, 1), vy.flatten())
        model.train()
        print(f"step {step + 1} train {loss.item():.4f} val {vloss.item():.4f} bits/char {vloss.item() / math.log(2):.3f}")
