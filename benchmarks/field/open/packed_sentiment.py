# expect: healthy
# about: LSTM with packed sequences of unequal length, "which polarity dominates"
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
VOCAB = 50


def make_reviews(n):
    out = []
    while len(out) < n:
        seq = torch.randint(1, VOCAB, (int(torch.randint(5, 20, (1,))),))
        score = (seq < 10).sum() - (seq >= 41).sum()
        if score != 0:
            out.append((seq, 1.0 if score > 0 else 0.0))
    return out


def collate(batch):
    seqs, labels = zip(*batch)
    return pad_sequence(seqs, batch_first=True), torch.tensor([len(s) for s in seqs]), torch.tensor(labels)


class SentimentRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 48, batch_first=True)
        self.fc = nn.Linear(48, 1)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embedding(x), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.fc(h[-1]).squeeze(1)


train_dl = DataLoader(make_reviews(2000), batch_size=32, shuffle=True, collate_fn=collate)
val_dl = DataLoader(make_reviews(400), batch_size=100, collate_fn=collate)
model = SentimentRNN()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    model.train()
    t = 0
    for x, l, y in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(x, l), y)
        loss.backward()
        optimizer.step()
        t += loss.item()
    model.eval()
    v = c = 0
    with torch.no_grad():
        for x, l, y in val_dl:
            o = model(x, l)
            v += criterion(o, y).item()
            c += ((o > 0).float() == y).sum().item()
    print(f"epoch {epoch} train {t/len(train_dl):.4f} val {v/len(val_dl):.4f} acc {c/400:.3f}")
