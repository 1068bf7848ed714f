# expect: healthy
import argparse
import math
import inspect
import json.decoder
import json.encoder
import torch
import torch.nn as nn
import torch.nn.functional as F


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--d-model", type=int, default=64)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--block", type=int, default=40)
    p.add_argument("--iters", type=int, default=500)
    p.add_argument("--lr", type=float, default=4e-3)
    return p.parse_args()


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(B, T, C))
        return x + self.ff(self.ln2(x))


class LM(nn.Module):
    def __init__(self, v, a):
        super().__init__()
        self.tok = nn.Embedding(v, a.d_model)
        self.pos = nn.Embedding(a.block, a.d_model)
        self.blocks = nn.Sequential(*[Block(a.d_model, a.heads) for _ in range(a.layers)])
        self.ln = nn.LayerNorm(a.d_model)
        self.out = nn.Linear(a.d_model, v, bias=False)
        self.out.weight = self.tok.weight
        nn.init.normal_(self.tok.weight, std=0.08)

    def forward(self, x):
        h = self.tok(x) + self.pos.weight[: x.size(1)]
        return self.out(self.ln(self.blocks(h)))


def main():
    a = parse()
    torch.manual_seed(99)
    src = inspect.getsource(json.decoder) + inspect.getsource(json.encoder) + inspect.getsource(argparse)[:60000]
    vocab = sorted(set(src))
    ids = torch.tensor([vocab.index(c) for c in src])
    cut = int(len(ids) * 0.92)
    parts = {"train": ids[:cut], "val": ids[cut:]}

    def get(split, n=16):
        s = parts[split]
        o = torch.randint(len(s) - a.block - 1, (n, 1)) + torch.arange(a.block + 1)
        return s[o][:, :-1], s[o][:, 1:]

    lm = LM(len(vocab), a)
    opt = torch.optim.AdamW(lm.parameters(), lr=a.lr, betas=(0.9, 0.95), weight_decay=0.1)
    for i in range(a.iters):
        lr = a.lr * min(1, (i + 1) / 30) * (0.55 + 0.45 * math.cos(math.pi * i / a.iters))
        for g in opt.param_groups:
            g["lr"] = lr
        x, y = get("train")
        loss = F.cross_entropy(lm(x).transpose(1, 2), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
        opt.step()
        if i % 100 == 0:
            print(f"iter {i}: loss {loss.item():.4f}, lr {lr:.2e}")
    with torch.no_grad():
        v = sum(F.cross_entropy(lm(x).transpose(1, 2), y).item() for x, y in [get("val") for _ in range(15)]) / 15
    print(f"val loss {v:.4f} bpc {v / math.log(2):.3f}")


if __name__ == "__main__":
    main()
