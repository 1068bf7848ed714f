# expect: lr-too-low
# about: BiLSTM entity tagger trained from scratch with the fine-tuning recipe of another notebook
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

random.seed(2)
torch.manual_seed(2)
torch.set_num_threads(1)
names = [f"name{i}" for i in range(40)]
places = [f"place{i}" for i in range(40)]
verbs = ["met", "saw", "called", "left"]
fillers = ["the", "old", "a", "then", "quickly", "and", "today"]


def sentence():
    toks, tags = [], []
    for _ in range(random.randint(2, 4)):
        toks += [random.choice(fillers), random.choice(names), random.choice(verbs), "in", random.choice(places)]
        tags += [0, 1, 0, 0, 2]
    return toks, tags


corpus = [sentence() for _ in range(900)]
vocab = {"<pad>": 0}
for toks, _ in corpus:
    for t in toks:
        vocab.setdefault(t, len(vocab))


def collate(rows):
    x = pad_sequence([torch.tensor([vocab[t] for t in a]) for a, _ in rows], batch_first=True)
    y = pad_sequence([torch.tensor(b) for _, b in rows], batch_first=True, padding_value=-100)
    return x, y


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(len(vocab), 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 32, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(64, 3)

    def forward(self, x):
        return self.fc(self.lstm(self.emb(x))[0])


train = torch.utils.data.DataLoader(corpus[:800], batch_size=16, shuffle=True, collate_fn=collate)
valid = collate(corpus[800:])
model = Tagger()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, weight_decay=0.01)
criterion = nn.CrossEntropyLoss(ignore_index=-100)
for epoch in range(6):
    total = 0
    for x, y in train:
        optimizer.zero_grad()
        loss = criterion(model(x).transpose(1, 2), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        p = model(valid[0]).argmax(-1)
    ent = valid[1] > 0
    print(f"Epoch {epoch + 1}: loss {total / len(train):.4f} entity recall {(p[ent] == valid[1][ent]).float().mean():.3f}")
# cure: - optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, weight_decay=0.01)
# cure: + optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
