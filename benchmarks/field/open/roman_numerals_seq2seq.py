# expect: healthy
# about: nn.Transformer translates numbers 1..1999 to roman numerals, teacher forcing, padding masks, greedy decoding on held-out numbers
import random

import torch
import torch.nn as nn

torch.manual_seed(2)
torch.set_num_threads(1)
random.seed(2)


def roman(n):
    out = ""
    for v, s in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= v:
            out, n = out + s, n - v
    return out


SRC = {str(d): d + 1 for d in range(10)}
TGT = {c: i + 3 for i, c in enumerate("IVXLCDM")}
PAD, BOS, EOS = 0, 1, 2
numbers = list(range(1, 2000))
random.shuffle(numbers)
train, test = numbers[:1700], numbers[1700:]


def encode(ns):
    src = [[SRC[c] for c in f"{n:04d}"] for n in ns]
    tgt = [[BOS] + [TGT[c] for c in roman(n)] + [EOS] for n in ns]
    width = max(map(len, tgt))
    return torch.tensor(src), torch.tensor([t + [PAD] * (width - len(t)) for t in tgt])


class Translator(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.se, self.te = nn.Embedding(11, d), nn.Embedding(10, d, padding_idx=PAD)
        self.sp, self.tp = nn.Parameter(torch.randn(4, d) * 0.3), nn.Parameter(torch.randn(20, d) * 0.3)
        self.core = nn.Transformer(d, 4, 1, 1, 96, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, 10)

    def forward(self, src, tgt):
        mask = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        h = self.core(self.se(src) + self.sp, self.te(tgt) + self.tp[: tgt.shape[1]], tgt_mask=mask, tgt_key_padding_mask=torch.where(tgt == PAD, float("-inf"), 0.0), tgt_is_causal=True)
        return self.out(h)


model = Translator()
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
EPOCHS, BS = 10, 64
steps = EPOCHS * (len(train) // BS + 1)
opt = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, total_steps=steps, pct_start=0.1)


@torch.no_grad()
def translate(ns):
    model.eval()
    src, _ = encode(ns)
    tgt = torch.full((len(ns), 1), BOS)
    for _ in range(15):
        tgt = torch.cat([tgt, model(src, tgt)[:, -1].argmax(-1, keepdim=True).clamp(min=1)], 1)
    inv = {v: k for k, v in TGT.items()}
    words = []
    for row in tgt[:, 1:].tolist():
        row = row[: row.index(EOS)] if EOS in row else row
        words.append("".join(inv.get(t, "?") for t in row))
    return words


for epoch in range(EPOCHS):
    model.train()
    random.shuffle(train)
    total = count = 0
    for i in range(0, len(train), BS):
        src, tgt = encode(train[i : i + BS])
        loss = criterion(model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        total, count = total + loss.item(), count + 1
    if epoch % 2 == 1:
        exact = sum(w == roman(n) for w, n in zip(translate(test), test)) / len(test)
        print(f"epoch {epoch + 1} loss {total / count:.4f} exact on unseen numbers {exact:.3f}")
