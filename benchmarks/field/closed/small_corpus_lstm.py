# expect: overfitting
# about: word-level LSTM on a tiny corpus, no dropout, 40 passes; validation perplexity turns round early
import random
import torch
import torch.nn as nn

random.seed(8)
torch.manual_seed(8)
torch.set_num_threads(1)
V = 80
succ = {w: random.sample(range(V), 6) for w in range(V)}


def text(n):
    out, w = [], 0
    for _ in range(n):
        w = random.choice(succ[w]) if random.random() < 0.85 else random.randrange(V)
        out.append(w)
    return torch.tensor(out)


BPTT, BS = 16, 8
batchify = lambda t: t[: len(t) // BS * BS].view(BS, -1)
train, val = batchify(text(1600)), batchify(text(3200))
DROP = 0.0
EPOCHS = 40


class WordLM(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.drop = nn.Dropout(DROP)
        self.emb = nn.Embedding(V, h)
        self.lstm = nn.LSTM(h, h, batch_first=True)
        self.dec = nn.Linear(h, V)

    def forward(self, x, s):
        o, s = self.lstm(self.drop(self.emb(x)), s)
        return self.dec(self.drop(o)), s


def run(data, opt=None):
    s, tot, n = None, 0.0, 0
    model.train(opt is not None)
    for i in range(0, data.size(1) - 1, BPTT):
        x, y = data[:, i:i + BPTT], data[:, i + 1:i + 1 + BPTT]
        x = x[:, : y.size(1)]
        with torch.set_grad_enabled(opt is not None):
            out, s = model(x, s)
            s = tuple(v.detach() for v in s)
            loss = crit(out.reshape(-1, V), y.reshape(-1))
        if opt:
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
        tot += loss.item() * y.numel()
        n += y.numel()
    return tot / n


model, crit = WordLM(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for e in range(EPOCHS):
    tr = run(train, optimizer)
    if e % 4 == 3:
        v = run(val)
        print(f"| epoch {e + 1} | train ppl {torch.tensor(tr).exp():.1f} | valid ppl {torch.tensor(v).exp():.1f} | valid loss {v:.3f}")
# cure: - DROP = 0.0
# cure: + DROP = 0.5
# cure: - EPOCHS = 40
# cure: + EPOCHS = 16
