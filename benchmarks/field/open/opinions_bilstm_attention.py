# expect: healthy
# about: sentiment with negations, bidirectional LSTM with attention pooling over padded sentences, torchtext-era tutorial style
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

SEED = 1234
random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)

good = ["great", "lovely", "superb", "funny", "moving", "sharp", "brilliant", "warm"]
bad = ["dull", "awful", "boring", "clumsy", "weak", "noisy", "tedious", "flat"]
neutral = "the film plot actor scene was is a an music and story camera with in ending we saw this movie".split()


def sentence():
    label = random.randint(0, 1)
    parts = []
    for _ in range(random.choice([1, 1, 2, 3])):
        negate = random.random() < 0.3
        words = (bad if label else good) if negate else (good if label else bad)
        parts.append((["not", "very"] if random.random() < 0.4 else ["not"]) * negate + [random.choice(words)])
    text = []
    for p in parts:
        text += random.choices(neutral, k=random.randint(1, 6)) + p
    return text + random.choices(neutral, k=random.randint(0, 3)), label


data = [sentence() for _ in range(2600)]
vocab = {"<pad>": 0}
for words, _ in data[:2200]:
    for w in words:
        vocab.setdefault(w, len(vocab))


def collate(batch):
    ids = [torch.tensor([vocab.get(w, 0) for w in words]) for words, _ in batch]
    return pad_sequence(ids, batch_first=True), torch.tensor([l for _, l in batch]).float()


class AttentiveLSTM(nn.Module):
    def __init__(self, n_vocab, emb=32, hid=32):
        super().__init__()
        self.emb = nn.Embedding(n_vocab, emb, padding_idx=0)
        self.rnn = nn.LSTM(emb, hid, batch_first=True, bidirectional=True)
        self.score = nn.Linear(2 * hid, 1)
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(2 * hid, 1)

    def forward(self, ids):
        h, _ = self.rnn(self.dropout(self.emb(ids)))
        a = self.score(torch.tanh(h)).squeeze(-1).masked_fill(ids == 0, -1e9)
        ctx = (F.softmax(a, dim=1).unsqueeze(-1) * h).sum(1)
        return self.fc(self.dropout(ctx)).squeeze(1)


train_iter = DataLoader(data[:2200], batch_size=32, shuffle=True, collate_fn=collate)
valid_iter = DataLoader(data[2200:], batch_size=200, collate_fn=collate)
model = AttentiveLSTM(len(vocab))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()


def binary_accuracy(p, y):
    return ((p > 0) == (y > 0.5)).float().mean().item()


def epoch_pass(iterator, train):
    model.train(train)
    loss_sum = acc_sum = 0.0
    with torch.set_grad_enabled(train):
        for ids, y in iterator:
            pred = model(ids)
            loss = criterion(pred, y)
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            loss_sum, acc_sum = loss_sum + loss.item(), acc_sum + binary_accuracy(pred, y)
    return loss_sum / len(iterator), acc_sum / len(iterator)


for epoch in range(8):
    tl, ta = epoch_pass(train_iter, True)
    vl, va = epoch_pass(valid_iter, False)
    print(f"Epoch: {epoch + 1:02} | Train Loss: {tl:.3f} | Train Acc: {ta * 100:.2f}% | Val. Loss: {vl:.3f} | Val. Acc: {va * 100:.2f}%")
