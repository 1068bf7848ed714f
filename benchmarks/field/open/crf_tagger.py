# expect: healthy
# about: BiLSTM-CRF with a hand-written forward algorithm, loss summed over tokens of a sentence
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(61)
WORDS, TAGS, T = 40, 5, 12
trans = torch.distributions.Dirichlet(torch.full((TAGS,), 0.3)).sample((TAGS,))
emit = torch.distributions.Dirichlet(torch.full((WORDS,), 0.08)).sample((TAGS,))


def corpus(n):
    tag = torch.randint(0, TAGS, (n,))
    tags, words = [], []
    for _ in range(T):
        tags.append(tag)
        words.append(torch.multinomial(emit[tag], 1).squeeze(1))
        tag = torch.multinomial(trans[tag], 1).squeeze(1)
    return torch.stack(words, 1), torch.stack(tags, 1)


class BiLSTM_CRF(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(WORDS, 24)
        self.lstm = nn.LSTM(24, 24, bidirectional=True, batch_first=True)
        self.proj = nn.Linear(48, TAGS)
        self.trans = nn.Parameter(torch.zeros(TAGS, TAGS))

    def scores(self, w):
        return self.proj(self.lstm(self.emb(w))[0])

    def nll(self, w, t):
        e = self.scores(w)
        alpha = e[:, 0]
        for i in range(1, e.shape[1]):
            alpha = torch.logsumexp(alpha[:, :, None] + self.trans, 1) + e[:, i]
        gold = e.gather(2, t[..., None]).squeeze(2).sum(1) + self.trans[t[:, :-1], t[:, 1:]].sum(1)
        return (torch.logsumexp(alpha, 1) - gold).mean()

    @torch.no_grad()
    def decode(self, w):
        e = self.scores(w)
        v, back = e[:, 0], []
        for i in range(1, e.shape[1]):
            best, arg = (v[:, :, None] + self.trans).max(1)
            v = best + e[:, i]
            back.append(arg)
        path = [v.argmax(1)]
        for arg in reversed(back):
            path.append(arg.gather(1, path[-1][:, None]).squeeze(1))
        return torch.stack(path[::-1], 1)


train_w, train_t = corpus(1600)
val_w, val_t = corpus(400)
tagger = BiLSTM_CRF()
optim = torch.optim.SGD(tagger.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
for epoch in range(10):
    tot = 0
    for idx in torch.randperm(1600).split(32):
        tagger.zero_grad()
        loss = tagger.nll(train_w[idx], train_t[idx])
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 5)
        optim.step()
        tot += loss.item()
    optim.param_groups[0]["lr"] = 0.1 / (1 + 0.3 * (epoch + 1))
    with torch.no_grad():
        v = tagger.nll(val_w, val_t).item()
    print(f"epoch {epoch + 1} loss {tot / 50:.3f} val {v:.3f} tag accuracy {(tagger.decode(val_w) == val_t).float().mean():.3f}")
