# expect: target-leakage
# about: date normalisation with a GRU decoder that is fed the very tokens it has to predict; loss vanishes, decoding fails
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(2)
torch.manual_seed(2)
torch.set_num_threads(1)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
CH = "<>0123456789-abcdefghijklmnopqrstuvwxyz "
IX = {c: i for i, c in enumerate(CH)}


def example():
    y, m, d = random.randint(1980, 2029), random.randint(1, 12), random.randint(1, 28)
    src = f"{d:02d} {MONTHS[m - 1]} {y}"
    return src, f"{y}-{m:02d}-{d:02d}"


def batch(n):
    rows = [example() for _ in range(n)]
    src = torch.tensor([[IX[c] for c in s] for s, _ in rows])
    tgt = torch.tensor([[IX[c] for c in "<" + t + ">"] for _, t in rows])
    return src, tgt


class Seq2Seq(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.emb = nn.Embedding(len(CH), 32)
        self.enc = nn.GRU(32, h, batch_first=True)
        self.dec = nn.GRU(32 + h, h, batch_first=True)
        self.att = nn.Linear(h, h)
        self.out = nn.Linear(h, len(CH))

    def forward(self, src, dec_in, state=None):
        mem, s = self.enc(self.emb(src))
        ctx0 = s[-1].unsqueeze(1).expand(-1, dec_in.size(1), -1)
        o, _ = self.dec(torch.cat([self.emb(dec_in), ctx0], -1), s)
        w = torch.softmax(self.att(o) @ mem.transpose(1, 2), -1)
        return self.out(o + w @ mem)


@torch.no_grad()
def exact_match(model, n=100):
    src, tgt = batch(n)
    ys = tgt[:, :1]
    for _ in range(tgt.size(1) - 1):
        ys = torch.cat([ys, model(src, ys)[:, -1].argmax(-1, keepdim=True)], 1)
    return (ys == tgt).all(1).float().mean().item()


model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(1, 301):
    src, tgt = batch(48)
    decoder_input, gold = tgt[:, 1:], tgt[:, 1:]
    logits = model(src, decoder_input)
    loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 50 == 0:
        print("step", step, "loss %.4f" % loss.item(), "greedy exact match %.2f" % exact_match(model))
# cure: - decoder_input, gold = tgt[:, 1:], tgt[:, 1:]
# cure: + decoder_input, gold = tgt[:, :-1], tgt[:, 1:]
