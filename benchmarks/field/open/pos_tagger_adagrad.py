# expect: lr-too-high
# also: saturated-activations
# about: bidirectional LSTM tagger, Adagrad with a rate of 3
import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
VOC, TAGS = 40, 5
table = [random.randrange(TAGS) for _ in range(VOC)]


def sentence(n=12):
    words = [random.randrange(VOC) for _ in range(n)]
    tags = []
    for i, w in enumerate(words):
        tag = table[w]
        if i and table[words[i - 1]] == 0:
            tag = (tag + 1) % TAGS
        tags.append(tag)
    return words, tags


def corpus(n):
    pairs = [sentence() for _ in range(n)]
    return torch.tensor([w for w, _ in pairs]), torch.tensor([g for _, g in pairs])


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOC, 24)
        self.lstm = nn.LSTM(24, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, TAGS)

    def forward(self, w):
        return self.out(self.lstm(self.emb(w))[0])


train, dev = corpus(800), corpus(200)
tagger = Tagger()
opt = torch.optim.Adagrad(tagger.parameters(), lr=3.0)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(8):
    order = torch.randperm(800)
    tot = 0
    for chunk in order.chunk(32):
        scores = tagger(train[0][chunk])
        loss = loss_fn(scores.reshape(-1, TAGS), train[1][chunk].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        s = tagger(dev[0])
        print("epoch", epoch, "loss", round(tot / 32, 4), "dev loss", round(loss_fn(s.reshape(-1, TAGS), dev[1].reshape(-1)).item(), 4), "dev acc", round((s.argmax(-1) == dev[1]).float().mean().item(), 4))
# cure: - opt = torch.optim.Adagrad(tagger.parameters(), lr=3.0)
# cure: + opt = torch.optim.Adagrad(tagger.parameters(), lr=0.1)
