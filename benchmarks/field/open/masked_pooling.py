# expect: unstable-math
# about: attention pooling over padded messages; an empty message masks every position and softmax gives NaN
import torch
import torch.nn as nn

torch.manual_seed(1)
torch.set_num_threads(1)
VOCAB, MAXLEN = 40, 12


def messages(n, empty):
    lengths = torch.randint(1, MAXLEN + 1, (n,))
    lengths[torch.randperm(n)[:empty]] = 0
    tokens = torch.randint(1, VOCAB, (n, MAXLEN))
    tokens[torch.arange(MAXLEN) >= lengths[:, None]] = 0
    return tokens, ((tokens > 0) & (tokens < 8)).any(1).float()


class Pooler(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=0)
        self.score = nn.Linear(d, 1)
        self.out = nn.Linear(d, 1)
        self.fill = float("-inf")

    def forward(self, tokens):
        h = self.emb(tokens)
        s = self.score(h).squeeze(-1).masked_fill(tokens == 0, self.fill)
        w = torch.softmax(s, dim=-1)
        return self.out((w.unsqueeze(-1) * h).sum(1)).squeeze(-1)


xt, yt = messages(3000, empty=3)
xv, yv = messages(500, empty=0)
model = Pooler()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(12):
    for b in torch.randperm(3000).split(50):
        loss = bce(model(xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        o = model(xv)
    print(f"epoch {epoch} loss {loss.item():.4f} val {bce(o, yv).item():.4f} acc {((o > 0) == yv.bool()).float().mean():.3f}")
# cure: - self.fill = float("-inf")
# cure: + self.fill = -1e9
