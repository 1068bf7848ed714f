# expect: padding-in-loss
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(19)
WORDS, TAGS, PAD = 300, 6, 0


class Grammar:
    def __init__(self):
        g = torch.Generator().manual_seed(1)
        self.group = torch.randint(0, 3, (WORDS,), generator=g)

    def sentence(self):
        n = 60 if torch.rand(1) < 0.06 else int(torch.randint(3, 7, (1,)))
        w = torch.randint(1, WORDS, (n,))
        g = self.group[w]
        prev = torch.cat([g[:1], g[:-1]])
        return w, 1 + g + 3 * (prev == 2).long() * (g != 2).long()


grammar = Grammar()
train = [grammar.sentence() for _ in range(500)]
test = [grammar.sentence() for _ in range(250)]


def collate(rows):
    w, t = zip(*rows)
    return pad_sequence(w, True, PAD), pad_sequence(t, True, PAD)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(WORDS, 32, padding_idx=PAD)
        self.rnn = nn.GRU(32, 32, batch_first=True, bidirectional=True)
        self.lin = nn.Linear(64, TAGS)

    def forward(self, w):
        return self.lin(self.rnn(self.emb(w))[0])


def accuracy(model, rows):
    w, t = collate(rows)
    with torch.no_grad():
        p = model(w).argmax(-1)
    m = t != PAD
    return (p[m] == t[m]).float().mean().item()


model = Tagger()
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    seen = 0.0
    for w, t in DataLoader(train, 32, shuffle=True, collate_fn=collate):
        loss = loss_fn(model(w).transpose(1, 2), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += loss.item()
    print("epoch", epoch, "loss", round(seen, 3))
acc = accuracy(model, test)
print("tag accuracy", round(acc, 4))
