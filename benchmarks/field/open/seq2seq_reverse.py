# expect: healthy
# about: GRU encoder-decoder with attention, teacher forcing, reverses digit strings
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=64)
parser.add_argument("--steps", type=int, default=350)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--clip", type=float, default=5.0)
opt = parser.parse_args()
torch.manual_seed(2)
torch.set_num_threads(1)
V, SOS, LEN = 11, 10, 6


class Encoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb, self.gru = nn.Embedding(V, h), nn.GRU(h, h, batch_first=True)

    def forward(self, x):
        return self.gru(self.emb(x))


class AttnDecoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb, self.gru = nn.Embedding(V, h), nn.GRU(h, h, batch_first=True)
        self.out = nn.Linear(2 * h, V)

    def forward(self, y_in, memory, hidden):
        o, hidden = self.gru(self.emb(y_in), hidden)
        w = F.softmax(o @ memory.transpose(1, 2), dim=-1)
        return self.out(torch.cat([o, w @ memory], -1)), hidden


enc, dec = Encoder(opt.hidden), AttnDecoder(opt.hidden)
params = list(enc.parameters()) + list(dec.parameters())
optim = torch.optim.Adam(params, lr=opt.lr)
for step in range(opt.steps):
    src = torch.randint(0, 10, (64, LEN))
    tgt = src.flip(1)
    dec_in = torch.cat([torch.full((64, 1), SOS), tgt[:, :-1]], 1)
    mem, h = enc(src)
    logits, _ = dec(dec_in, mem, h)
    loss = F.cross_entropy(logits.reshape(-1, V), tgt.reshape(-1))
    optim.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, opt.clip)
    optim.step()
    if step % 50 == 49:
        with torch.no_grad():
            src = torch.randint(0, 10, (128, LEN))
            mem, h = enc(src)
            tok, res = torch.full((128, 1), SOS), []
            for _ in range(LEN):
                lg, h = dec(tok, mem, h)
                tok = lg.argmax(-1)
                res.append(tok)
            acc = (torch.cat(res, 1) == src.flip(1)).float().mean()
        print(f"step {step+1} loss {loss.item():.4f} free-running acc {acc:.3f}")
