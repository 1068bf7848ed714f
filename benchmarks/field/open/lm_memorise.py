# expect: overfitting
# about: character LSTM on 2000 characters of library text, trained until it knows them by heart
import inspect
import string as lib
import torch
import torch.nn as nn

torch.manual_seed(0)
torch.set_num_threads(1)
text = inspect.getsource(lib)
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
train_ids, val_ids = ids[:2000], ids[2000:7000]
SEQ, STEPS = 32, 450


class CharLSTM(nn.Module):
    def __init__(self, v, h=96):
        super().__init__()
        self.emb, self.lstm, self.fc = nn.Embedding(v, 32), nn.LSTM(32, h, batch_first=True), nn.Linear(h, v)

    def forward(self, x):
        return self.fc(self.lstm(self.emb(x))[0])


def get(d, n):
    i = torch.randint(0, len(d) - SEQ - 1, (n,))
    return torch.stack([d[k : k + SEQ] for k in i]), torch.stack([d[k + 1 : k + SEQ + 1] for k in i])


model = CharLSTM(len(chars))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ce = nn.CrossEntropyLoss()
for step in range(STEPS):
    model.train()
    x, y = get(train_ids, 16)
    loss = ce(model(x).transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 29:
        model.eval()
        with torch.no_grad():
            x, y = get(val_ids, 64)
            print(f"step {step+1} train {loss.item():.4f} val {ce(model(x).transpose(1, 2), y).item():.4f}")
# cure: - train_ids, val_ids = ids[:2000], ids[2000:7000]
# cure: + train_ids, val_ids = ids[:-1500], ids[-1500:]
# cure: - SEQ, STEPS = 32, 450
# cure: + SEQ, STEPS = 32, 200
