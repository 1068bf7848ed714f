# expect: params-not-in-optimizer
# about: encoder and decoder are separate modules and only the decoder's parameters reach the optimizer
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(17)
V, T = 16, 6


class Encoder(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.emb = nn.Embedding(V, 24)
        self.rnn = nn.GRU(24, h, batch_first=True)

    def forward(self, x):
        return self.rnn(self.emb(x))[1]


class Decoder(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.emb = nn.Embedding(V + 1, 24)
        self.rnn = nn.GRU(24, h, batch_first=True)
        self.out = nn.Linear(h, V)

    def forward(self, y, s):
        o, s = self.rnn(self.emb(y), s)
        return self.out(o), s


def make(n):
    x = torch.randint(V, (n, T))
    return x, x.sort(1).values


encoder, decoder = Encoder(), Decoder()
optimizer = torch.optim.Adam(decoder.parameters(), lr=5e-3)
for it in range(1, 401):
    x, y = make(64)
    inp = torch.cat([torch.full((64, 1), V), y[:, :-1]], 1)
    logits, _ = decoder(inp, encoder(x))
    loss = F.cross_entropy(logits.reshape(-1, V), y.reshape(-1))
    optimizer.zero_grad()
    encoder.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 50 == 0:
        with torch.no_grad():
            x, y = make(200)
            tok, s, outs = torch.full((200, 1), V), encoder(x), []
            for _ in range(T):
                o, s = decoder(tok, s)
                tok = o.argmax(-1)
                outs.append(tok)
            acc = (torch.cat(outs, 1) == y).float().mean().item()
        print(f"iter {it} loss {loss.item():.3f} greedy token acc {acc:.3f}")
# cure: - optimizer = torch.optim.Adam(decoder.parameters(), lr=5e-3)
# cure: + optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=5e-3)
