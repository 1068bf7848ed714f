# expect: lr-too-high
import difflib
import torch
import torch.nn as nn

torch.manual_seed(7)
corpus = open(difflib.__file__, encoding="utf8").read()[:50000]
letters = sorted(set(corpus))
lookup = {c: i for i, c in enumerate(letters)}
codes = torch.tensor([lookup[c] for c in corpus])
train_codes, valid_codes = codes[:45000], codes[45000:]
SEQ, BATCH, STEPS = 40, 20, 400


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(letters), 24)
        self.lstm = nn.LSTM(24, 80, batch_first=True)
        self.fc = nn.Linear(80, len(letters))

    def forward(self, x):
        h, _ = self.lstm(self.embed(x))
        return self.fc(h)


def get(src):
    s = torch.randint(0, len(src) - SEQ - 1, (BATCH,))
    a = torch.stack([src[i:i + SEQ + 1] for i in s])
    return a[:, :-1], a[:, 1:]


model = Lstm()
optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
crit = nn.CrossEntropyLoss()
avg = None
for step in range(STEPS):
    x, y = get(train_codes)
    optimizer.zero_grad()
    loss = crit(model(x).reshape(-1, len(letters)), y.reshape(-1))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
    if (step + 1) % 50 == 0:
        print(f"step {step + 1}/{STEPS}  running loss {avg:.4f}")

model.eval()
with torch.no_grad():
    vloss = sum(crit(model(x).flatten(0, 1), y.flatten()).item() for x, y in (get(valid_codes) for _ in range(20))) / 20
print(f"validation: {vloss:.4f}")
