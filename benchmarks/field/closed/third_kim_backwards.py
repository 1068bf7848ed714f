# expect: healthy
import inspect, argparse, csv, random
import torch
import torch.nn as nn
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, get_cosine_schedule_with_warmup, set_seed

transformers.logging.set_verbosity_error()
set_seed(0)
text = inspect.getsource(argparse)[:60000]
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
L = 40
X = ids[:len(ids) // L * L].view(-1, L)
X = X[torch.randperm(len(X))]
n = int(0.85 * len(X))
model = GPT2LMHeadModel(GPT2Config(vocab_size=len(chars), n_positions=L, n_embd=64, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))


def fit(params, data, epochs, lr, bs=24):
    opt = torch.optim.AdamW(params, lr=lr)
    total = epochs * -(-n // bs)
    sched = get_cosine_schedule_with_warmup(opt, 20, total)
    for ep in range(epochs):
        model.train()
        tot = 0
        for b in torch.randperm(n).split(bs):
            loss = model(input_ids=data[b], labels=data[b]).loss
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item() * len(b)
        model.eval()
        with torch.no_grad():
            v = model(input_ids=data[n:], labels=data[n:]).loss.item()
        print("epoch", ep, "train", round(tot / n, 4), "valid", round(v, 4))
    return v


class Adapter(nn.Module):
    def __init__(self, layer, dim=64, r=48):
        super().__init__()
        self.layer, self.down, self.up = layer, nn.Linear(dim, r), nn.Linear(r, dim)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, h):
        return self.layer(h) + self.up(nn.functional.gelu(self.down(h)))


fit(model.parameters(), X, 8, 4e-3)
R = X.flip(1)
model.requires_grad_(False)
with torch.no_grad():
    before = model(input_ids=R[n:], labels=R[n:]).loss.item()
for block in model.transformer.h:
    block.mlp = Adapter(block.mlp)
    block.attn.c_proj = Adapter(block.attn.c_proj)
after = fit([p for p in model.parameters() if p.requires_grad], R, 8, 6e-3)
p = torch.bincount(ids, minlength=len(chars)).float()
print("backwards text: before", before, "after", after, "unigram entropy", -(p / p.sum()).log()[ids].mean().item())
