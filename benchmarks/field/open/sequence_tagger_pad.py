# expect: padding-in-loss
# also: class-imbalance
import random
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

random.seed(7)
torch.manual_seed(7)
PAD = 0
MAX_LEN = 64
TAGS = ["O", "B", "I"]


def sentence():
    n = random.choices([random.randint(3, 6), random.randint(50, 60)], [0.93, 0.07])[0]
    words, tags = [], []
    while len(words) < n:
        if random.random() < 0.6 and len(words) + 2 <= n:
            k = random.randint(1, 2)
            words += [random.randint(1, 40)] + [random.randint(20, 80) for _ in range(k)]
            tags += [1] + [2] * k
        else:
            words.append(random.randint(30, 90))
            tags.append(0)
    return torch.tensor(words), torch.tensor(tags)


def collate(batch):
    x = torch.full((len(batch), MAX_LEN), PAD)
    y = torch.zeros(len(batch), MAX_LEN, dtype=torch.long)
    for i, (w, t) in enumerate(batch):
        x[i, :len(w)], y[i, :len(t)] = w, t
    return x, y, torch.tensor([len(w) for w, _ in batch])


train_set = [sentence() for _ in range(1500)]
val_set = [sentence() for _ in range(300)]


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(100, 24, padding_idx=PAD)
        self.lstm = nn.LSTM(24, 24, batch_first=True, bidirectional=True)
        self.out = nn.Linear(48, 3)

    def forward(self, x):
        return self.out(self.lstm(self.emb(x))[0])


model = Tagger()
opt = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
criterion = nn.CrossEntropyLoss()


def evaluate():
    model.eval()
    right = total = ent = ent_right = 0
    with torch.no_grad():
        for x, y, n in DataLoader(val_set, 50, collate_fn=collate):
            mask = torch.arange(x.size(1))[None] < n[:, None]
            p = model(x).argmax(-1)
            right += (p == y)[mask].sum().item()
            total += mask.sum().item()
            e = mask & (y > 0)
            ent += e.sum().item()
            ent_right += (p == y)[e].sum().item()
    return right / total, ent_right / ent


for epoch in range(8):
    model.train()
    tot = 0
    dl = DataLoader(train_set, 64, shuffle=True, collate_fn=collate)
    for x, y, n in dl:
        logits = model(x)
        loss = criterion(logits.reshape(-1, 3), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    acc, rec = evaluate()
    print(f"epoch {epoch+1} loss {tot/len(dl):.4f} token acc {acc:.3f} entity recall {rec:.3f}")
