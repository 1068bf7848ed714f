# expect: noisy-labels
# about: sentiment model whose collate function sorts the texts by length before padding
import random
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
random.seed(1)
torch.manual_seed(1)


class Reviews(Dataset):
    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            y = random.randint(0, 1)
            k = random.randint(5, 20)
            words = [random.randint(1, 199) for _ in range(k)]
            for _ in range(random.randint(2, 3)):
                words[random.randrange(k)] = random.randint(200, 219) if y else random.randint(220, 239)
            self.rows.append((torch.tensor(words), y))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate_fn(batch):
    labels = torch.tensor([b[1] for b in batch], dtype=torch.float32)
    batch = sorted(batch, key=lambda b: len(b[0]), reverse=True)
    texts = pad_sequence([b[0] for b in batch], batch_first=True)
    lengths = torch.tensor([len(b[0]) for b in batch])
    return texts, lengths, labels


class AvgEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(240, 32, padding_idx=0)
        self.mlp = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))

    def forward(self, x, n):
        return self.mlp(self.emb(x).sum(1) / n[:, None]).squeeze(1)


train_loader = DataLoader(Reviews(1600), batch_size=32, shuffle=True, collate_fn=collate_fn)
val_loader = DataLoader(Reviews(400), batch_size=50, collate_fn=collate_fn)
model, criterion = AvgEmbedding(), nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    model.train()
    tl = 0
    for x, n, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x, n), y)
        loss.backward()
        optimizer.step()
        tl += loss.item() / len(train_loader)
    model.eval()
    vl, hit = 0, 0
    with torch.no_grad():
        for x, n, y in val_loader:
            out = model(x, n)
            vl += criterion(out, y).item() / len(val_loader)
            hit += ((out > 0).float() == y).sum().item()
    print(f"epoch {epoch}: train {tl:.4f} val {vl:.4f} acc {hit / 400:.3f}")
# cure: - labels = torch.tensor([b[1] for b in batch], dtype=torch.float32)
# cure: + batch = sorted(batch, key=lambda b: len(b[0]), reverse=True)
# cure: + labels = torch.tensor([b[1] for b in batch], dtype=torch.float32)
