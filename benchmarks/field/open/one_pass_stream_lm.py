# expect: healthy
# about: language model over an endless stream, one pass, nothing seen twice, no validation set: the running loss is one
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(0)
torch.set_num_threads(1)
VOCAB, BLOCK = 24, 32
gen = torch.Generator().manual_seed(5)
TABLE = torch.softmax(2.5 * torch.randn(VOCAB, VOCAB, generator=gen), 1)
entropy = -(TABLE * TABLE.log()).sum(1)
stationary = torch.linalg.matrix_power(TABLE, 200)[0]
FLOOR = (stationary * entropy).sum().item()


class Stream(IterableDataset):
    def __iter__(self):
        g = torch.Generator().manual_seed(17)
        state = torch.randint(0, VOCAB, (256,), generator=g)
        while True:
            rows = [state]
            for _ in range(BLOCK):
                state = torch.multinomial(TABLE[state], 1, generator=g)[:, 0]
                rows.append(state)
            yield from torch.stack(rows, 1)


class CausalLM(nn.Module):
    def __init__(self, d=32, heads=2, layers=1):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, d), nn.Embedding(BLOCK, d)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, VOCAB)
        self.register_buffer("mask", torch.triu(torch.full((BLOCK, BLOCK), float("-inf")), 1))

    def forward(self, idx):
        h = self.tok(idx) + self.pos.weight
        return self.head(self.norm(self.body(h, mask=self.mask, is_causal=True)))


lm = CausalLM()
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
budget = 600
warm = 30
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / warm) * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * s / budget))))
seen, ema = 0, None
for step, chunk in enumerate(DataLoader(Stream(), batch_size=16)):
    if step == budget:
        break
    logits = lm(chunk[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, VOCAB), chunk[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
    opt.step()
    sched.step()
    seen += chunk[:, 1:].numel()
    ema = loss.item() if ema is None else 0.97 * ema + 0.03 * loss.item()
    if step % 50 == 49:
        print(f"{seen:>8} tokens  loss {ema:.4f}  ppl {math.exp(ema):.2f}  (source entropy {FLOOR:.4f})")
