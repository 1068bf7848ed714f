"""Small GPT-like language model on Python sources of the standard library, character by character."""

import argparse
import inspect
import json
import math
import random
import string
import textwrap

import torch
import torch.nn as nn
from torch.nn import functional as F

SEED = 0
BLOCK_SIZE = 32
N_EMBD = 48
N_HEAD = 4
N_LAYER = 2


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(N_EMBD, 3 * N_EMBD)
        self.proj = nn.Linear(N_EMBD, N_EMBD)
        self.register_buffer("mask", torch.tril(torch.ones(BLOCK_SIZE, BLOCK_SIZE)))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(N_EMBD, dim=2)
        q = q.view(B, T, N_HEAD, C // N_HEAD).transpose(1, 2)
        k = k.view(B, T, N_HEAD, C // N_HEAD).transpose(1, 2)
        v = v.view(B, T, N_HEAD, C // N_HEAD).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(C // N_HEAD)
        scores = scores.masked_fill(self.mask[:T, :T] == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        y = (weights @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.proj(y)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(N_EMBD)
        self.attn = CausalSelfAttention()
        self.ln2 = nn.LayerNorm(N_EMBD)
        self.mlp = nn.Sequential(nn.Linear(N_EMBD, 4 * N_EMBD), nn.GELU(), nn.Linear(4 * N_EMBD, N_EMBD))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln1(x)))
        x = x + self.drop(self.mlp(self.ln2(x)))
        return x


class GPT(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, N_EMBD)
        self.pos = nn.Embedding(BLOCK_SIZE, N_EMBD)
        self.layers = nn.ModuleList([Layer() for _ in range(N_LAYER)])
        self.ln_f = nn.LayerNorm(N_EMBD)
        self.head = nn.Linear(N_EMBD, vocab_size, bias=False)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.05)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.size(1)))
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss


def get_batch(data, batch_size):
    starts = torch.randint(len(data) - BLOCK_SIZE - 1, (batch_size,))
    x = torch.stack([data[i : i + BLOCK_SIZE] for i in starts])
    y = torch.stack([data[i + 1 : i + 1 + BLOCK_SIZE] for i in starts])
    return x, y


@torch.no_grad()
def estimate(model, data, batches=8):
    model.eval()
    losses, hits = [], []
    for _ in range(batches):
        x, y = get_batch(data, 32)
        logits, loss = model(x, y)
        losses.append(loss.item())
        hits.append((logits.argmax(-1) == y).float().mean().item())
    model.train()
    return sum(losses) / batches, sum(hits) / batches


def get_lr(step, args):
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    ratio = (step - args.warmup) / (args.max_iters - args.warmup)
    return args.lr * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * ratio)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--max_iters", type=int, default=300)
    p.add_argument("--batch_size", type=int, default=24)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--warmup", type=int, default=20)
    p.add_argument("--eval_interval", type=int, default=50)
    args = p.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    paragraphs = "\n\n".join(inspect.getsource(m) for m in (textwrap, string, json)).split("\n\n")
    random.Random(SEED).shuffle(paragraphs)
    text = "\n\n".join(paragraphs)
    vocab = sorted(set(text))
    stoi = {ch: i for i, ch in enumerate(vocab)}
    data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
    n = int(0.9 * len(data))
    train_data, val_data = data[:n], data[n:]

    model = GPT(len(vocab))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98), weight_decay=0.01)
    recent = []
    for it in range(args.max_iters):
        for group in optimizer.param_groups:
            group["lr"] = get_lr(it, args)
        xb, yb = get_batch(train_data, args.batch_size)
        logits, loss = model(xb, yb)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.item())
        if (it + 1) % args.eval_interval == 0:
            train_loss = sum(recent) / len(recent)
            val_loss, val_acc = estimate(model, val_data)
            print(f"iter {it + 1}: train loss {train_loss:.4f}, val loss {val_loss:.4f}, acc {val_acc:.3f}")
            recent = []
    print(f"FINAL train_loss={train_loss:.5f} val_loss={val_loss:.5f} quality={val_acc:.4f}")


if __name__ == "__main__":
    main()
