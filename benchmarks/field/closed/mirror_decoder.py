# expect: healthy
# about: decoder-only transformer that writes digit strings backwards, warmup + cosine, clipping at 1.0 every step
import math
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(1337)
random.seed(1337)

VOCAB = "0123456789=."
stoi = {c: i for i, c in enumerate(VOCAB)}


def sample(a, b):
    s = f"{a:02d}{b:02d}"
    return s + "=" + s[::-1] + "."


pairs = [(a, b) for a in range(100) for b in range(100)]
random.shuffle(pairs)
encode = lambda ps: torch.tensor([[stoi[c] for c in sample(a, b)] for a, b in ps])
train_ids, test_ids = encode(pairs[:9000]), encode(pairs[9000:9500])


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        B, T, D = x.shape
        q, k, v = (z.view(B, T, self.h, D // self.h).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(B, T, D))
        return x + self.ff(self.n2(x))


class TinyGPT(nn.Module):
    def __init__(self, d=48, h=4, layers=2, ctx=10):
        super().__init__()
        self.tok, self.pos = nn.Embedding(len(VOCAB), d), nn.Parameter(torch.randn(ctx, d) * 0.02)
        self.blocks = nn.Sequential(*[Block(d, h) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, len(VOCAB), bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tok(ids) + self.pos[: ids.shape[1]])))


model = TinyGPT()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.95), weight_decay=0.05)
steps, warm = 350, 40
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / warm) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, s / steps)))))
for step in range(steps):
    ids = train_ids[torch.randint(len(train_ids), (64,))]
    logits = model(ids[:, :-1])
    targets = ids[:, 1:].clone()
    targets[:, :4] = -100
    loss = F.cross_entropy(logits.reshape(-1, len(VOCAB)), targets.reshape(-1), ignore_index=-100)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    gn = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 50 == 0 or step == steps - 1:
        print(f"step {step:4d} | loss {loss.item():.4f} | gnorm {gn:.2f} | lr {sched.get_last_lr()[0]:.2e}")

model.eval()
with torch.no_grad():
    ids = test_ids[:, :5]
    for _ in range(5):
        ids = torch.cat([ids, model(ids)[:, -1].argmax(-1, keepdim=True)], 1)
print("exact match on held-out strings:", (ids == test_ids).all(1).float().mean().item())
