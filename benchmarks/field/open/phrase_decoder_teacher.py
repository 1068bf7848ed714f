# expect: target-leakage
# about: GRU encoder-decoder reversing symbol strings with teacher forcing, greedy decoding as the test
import torch
import torch.nn as nn

torch.manual_seed(66)
torch.set_num_threads(1)
V, L, BOS = 10, 5, 10


def strings(n):
    src = torch.randint(0, V, (n, L))
    return src, src.flip(1)


class Seq2Seq(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.se, self.te = nn.Embedding(V, 16), nn.Embedding(V + 1, 16)
        self.enc, self.dec = nn.GRU(16, h, batch_first=True), nn.GRU(16, h, batch_first=True)
        self.out = nn.Linear(h, V)

    def forward(self, src, dec_in):
        _, h = self.enc(self.se(src))
        return self.out(self.dec(self.te(dec_in), h)[0])

    @torch.no_grad()
    def greedy(self, src):
        _, h = self.enc(self.se(src))
        tok, res = torch.full((len(src), 1), BOS), []
        for _ in range(L):
            o, h = self.dec(self.te(tok), h)
            tok = self.out(o).argmax(-1)
            res.append(tok)
        return torch.cat(res, 1)


net = Seq2Seq()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
vs, vt = strings(300)
for it in range(1, 701):
    src, tgt = strings(48)
    bos = torch.full((len(src), 1), BOS)
    dec_in = tgt
    logits = net(src, dec_in)
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), tgt)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(f"it {it} loss {loss.item():.4f} greedy symbol acc {(net.greedy(vs) == vt).float().mean():.3f}")
# cure: - dec_in = tgt
# cure: + dec_in = torch.cat([bos, tgt[:, :-1]], 1)
