# expect: train-val-mismatch
# about: intent classifier; the helper that turns text into ids builds its vocabulary from whatever split it is given
import random
from collections import Counter

import torch
import torch.nn as nn

random.seed(3)
torch.manual_seed(3)
torch.set_num_threads(1)
KEY = {"weather": "rain sun forecast cloud storm".split(), "music": "play song album artist volume".split(), "alarm": "wake set clock morning snooze".split(), "travel": "flight hotel ticket train book".split()}
FILL = [f"w{i}" for i in range(60)]


def utterance():
    k = random.choice(list(KEY))
    toks = random.choices(FILL, k=random.randint(3, 7)) + random.choices(KEY[k], k=2)
    random.shuffle(toks)
    return " ".join(toks), sorted(KEY).index(k)


def prepare(rows):
    counts = Counter(w for s, _ in rows for w in s.split())
    vocab = {w: i + 2 for i, (w, _) in enumerate(counts.most_common())}
    ids = [[vocab.get(w, 1) for w in s.split()] for s, _ in rows]
    x = torch.zeros(len(rows), 10, dtype=torch.long)
    for r, seq in enumerate(ids):
        x[r, : len(seq)] = torch.tensor(seq)
    return x, torch.tensor([y for _, y in rows])


train_rows, val_rows = [utterance() for _ in range(1500)], [utterance() for _ in range(400)]
x_train, y_train = prepare(train_rows)
x_val, y_val = prepare(val_rows)


class Intent(nn.Module):
    def __init__(self, n_vocab=100, dim=24):
        super().__init__()
        self.emb = nn.Embedding(n_vocab, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, 32, 3, padding=1)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(torch.relu(self.conv(self.emb(x).transpose(1, 2))).amax(2))


net = Intent()
optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(8):
    net.train()
    seen = 0.0
    for idx in torch.randperm(1500).split(30):
        optimizer.zero_grad()
        loss = criterion(net(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        seen += loss.item() / 50
    net.eval()
    with torch.no_grad():
        out = net(x_val)
    print("epoch %d train_loss %.4f val_loss %.4f val_acc %.3f" % (epoch, seen, criterion(out, y_val).item(), (out.argmax(1) == y_val).float().mean().item()))
# cure: - counts = Counter(w for s, _ in rows for w in s.split())
# cure: + counts = Counter(w for s, _ in train_rows for w in s.split())
