# expect: train-val-mismatch
# about: GRU over support tickets; batches are padded in the collate of training and by a serving helper for validation
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

random.seed(4)
torch.manual_seed(4)
torch.set_num_threads(1)
TOPICS = 4
MAX_LEN = 4


def ticket():
    topic = random.randrange(TOPICS)
    length = random.randint(6, 18)
    words = [random.randint(1 + 20 * TOPICS, 160) for _ in range(length)]
    for _ in range(max(2, length // 3)):
        words[random.randrange(length)] = 1 + topic * 20 + random.randrange(20)
    return torch.tensor(words), topic


def collate(batch):
    seqs, topics = zip(*batch)
    return pad_sequence([s.flip(0) for s in seqs], batch_first=True).flip(1), torch.tensor(topics)


def to_fixed_length(seqs):
    """The serving code's padding: every ticket becomes MAX_LEN ids, zeros in front."""
    out = torch.zeros(len(seqs), MAX_LEN, dtype=torch.long)
    for row, s in zip(out, seqs):
        row[MAX_LEN - len(s[:MAX_LEN]) :] = s[:MAX_LEN]
    return out


class TicketModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(161, 24, padding_idx=0)
        self.rnn = nn.GRU(24, 48, batch_first=True)
        self.fc = nn.Linear(48, TOPICS)

    def forward(self, ids):
        out, _ = self.rnn(self.emb(ids))
        return self.fc(out[:, -1])


train_set = [ticket() for _ in range(1600)]
val_set = [ticket() for _ in range(300)]
loader = DataLoader(train_set, batch_size=32, shuffle=True, collate_fn=collate)
val_y = torch.tensor([t for _, t in val_set])
val_x = to_fixed_length([s for s, _ in val_set])
model, lossf = TicketModel(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(7):
    model.train()
    seen = correct = total = 0
    for x, y in loader:
        out = model(x)
        loss = lossf(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
        correct += (out.argmax(1) == y).sum().item()
        seen += len(y)
    model.eval()
    with torch.no_grad():
        out = model(val_x)
    print(f"epoch {epoch + 1} train {total / seen:.4f} acc {correct / seen:.3f} | val {lossf(out, val_y):.4f} acc {(out.argmax(1) == val_y).float().mean():.3f}")
# cure: - MAX_LEN = 4
# cure: + MAX_LEN = 18
